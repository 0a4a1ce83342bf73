import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { ResponseBody } from '../support/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const { scripts } = z
  .object({ scripts: z.object({ start: z.string(), admin: z.string() }) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
/** The script "start" as npm runs it. The shell gives its process to the stack. */
const startByScript = ['sh', '-c', `${scripts.start} "$@"`, 'npm start'];
const startByNpm = ['npm', 'start', '--'];

const StackFile = z.strictObject({
  baseUrl: z.url(),
  appUrl: z.url(),
  programId: z.uuid(),
  apiKey: z.uuid(),
  email: z.email(),
  password: z.string(),
  pid: z.int(),
});

/** A local stack in a process of its own, started as `npm start` does. */
export interface StartedStack extends z.infer<typeof StackFile> {
  process: ChildProcess;
  /** What it has printed so far, problems included. */
  output: () => string;
  readySeconds: number;
}

const spawnStart = ([command = '', ...first]: readonly string[], dataFolder: string, options: readonly string[]) => {
  const child = spawn(command, [...first, '--data', dataFolder, ...options], { cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return { child, output: () => output };
};

/** Starts a stack and waits until it is ready; fails with what it printed when it ends instead. */
export const startStack = (dataFolder: string, ...options: string[]): Promise<StartedStack> =>
  untilReady(startByScript, dataFolder, options);

/** The same through npm, whose process is then `process`; `pid` is the stack's own. */
export const startStackByNpm = (dataFolder: string, ...options: string[]): Promise<StartedStack> =>
  untilReady(startByNpm, dataFolder, options);

const untilReady = async (
  command: readonly string[],
  dataFolder: string,
  options: readonly string[],
): Promise<StartedStack> => {
  const startedAt = performance.now();
  const { child, output } = spawnStart(command, dataFolder, ['--port', '0', ...options]);
  while (!output().includes('Ready after')) {
    if (child.exitCode !== null) throw new Error(`The stack ended: ${output()}`);
    await sleep(20);
  }
  const readySeconds = (performance.now() - startedAt) / 1000;
  const stack = StackFile.parse(JSON.parse(readFileSync(join(dataFolder, 'stack.json'), 'utf8')));
  return { ...stack, process: child, output, readySeconds };
};

/** Runs a start that is expected to end by itself. Returns its exit code and what it printed. */
export const failedStart = async (dataFolder: string, ...options: string[]) => {
  const { child, output } = spawnStart(startByScript, dataFolder, options);
  await once(child, 'close');
  return { exitCode: child.exitCode, output: output() };
};

/** Ends a stack with a signal and waits until its process is gone. Returns the exit code; null when it was killed. */
export const endStack = async ({ process: child }: StartedStack, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
  const exited = once(child, 'exit');
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
};

/** Calls a stack's API with its demo program's key, or another one. */
export const callApi = async (
  stack: Pick<StartedStack, 'baseUrl' | 'apiKey'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Pick<ResponseBody, 'status' | 'body'>> => {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
};

/** Runs the operator's command line against the stack in a data folder. */
export const runAdmin = (dataFolder: string, ...command: string[]) =>
  new Promise<{ exitCode: number; output: string; problems: string }>((resolve) => {
    const options = ['-c', `${scripts.admin} "$@"`, 'npm run admin', '--data', dataFolder, ...command];
    const child = execFile('sh', options, { cwd: root }, (_, output, problems) => {
      resolve({ exitCode: child.exitCode ?? -1, output, problems });
    });
  });

/** The same for commands that must succeed. @returns what they print, parsed */
export const adminOf =
  (dataFolder: string) =>
  async (...command: string[]) => {
    const { exitCode, output, problems } = await runAdmin(dataFolder, ...command);
    if (exitCode !== 0 || problems) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${problems}`);
    return JSON.parse(output);
  };
