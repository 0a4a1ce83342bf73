import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ProgramFigures {
  command: string;
  holds: boolean;
  /** What it printed. */
  output: string;
}

/** Measurements that are programs of their own and exit with 1 where what they are about does not hold. */
export const programs = [
  ['fairness', ['fairness.ts']],
  ['kills', ['kill.ts', '500', '5']],
  ['throughput', ['redemptions.ts']],
  ['bursts', ['burst.ts']],
  ['starts of redirects', ['redirect-starts.ts']],
  ['counting of clicks', ['count-clicks.ts']],
  ['the API beside redirects', ['clicks.ts']],
] as const;

export const runProgram = async ([file, ...options]: readonly string[]): Promise<ProgramFigures> => {
  const path = new URL(`../${file}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [path, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const shown = output.split('\n').filter((line) => !line.startsWith('{"'));
  return {
    command: ['npx node test/bench/', file, ...options].join(' ').replace('/ ', '/'),
    holds: code === 0,
    output: shown.join('\n').trim(),
  };
};
