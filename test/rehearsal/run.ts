import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

interface Outcome {
  exitCode: number;
  /** Standard output alone. */
  output: string;
  /** Standard output and standard error, in the order of arrival. */
  transcript: string;
}

interface Options {
  cwd?: string;
  env: Readonly<Record<string, string | undefined>>;
}

const maxShown = 4000;

/** Runs a program until it exits. */
export const outcomeOf = async ([command = '', ...args]: readonly string[], options: Options): Promise<Outcome> => {
  const child = spawn(command, args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, transcript] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    transcript += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    transcript += text;
  });
  await once(child, 'close');
  return { exitCode: child.exitCode ?? -1, output, transcript };
};

/** Runs a program that must succeed; throws with the end of what it printed. @returns its standard output */
export const run = async (command: readonly string[], options: Options): Promise<string> => {
  const { exitCode, output, transcript } = await outcomeOf(command, options);
  if (exitCode === 0) return output;
  throw new Error(`${command.slice(0, 4).join(' ')} … exited with ${exitCode}:\n${transcript.slice(-maxShown)}`);
};
