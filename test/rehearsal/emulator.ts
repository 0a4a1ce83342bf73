import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials, region } from '../../infra/local/account.ts';
import { freePort } from '../../infra/local/listen.ts';
import { pythonProgram } from '../../infra/python-program.ts';
import { root } from './run.ts';

/** An emulator of AWS that has CloudFormation, and runs functions. */
const ministack = 'ministack==1.5.33';

export interface Emulator {
  readonly port: number;
  readonly url: string;
  /** With it the CDK's CLI, the AWS SDK and their children work on the emulator. */
  readonly environment: Record<string, string | undefined>;
  stop: () => Promise<void>;
}

/** Far longer than it takes on a slow machine. */
const startSeconds = 300;

/** Starts the emulator with its data in a folder; undefined where it cannot be installed. */
export const startEmulator = async (folder: string): Promise<Emulator | undefined> => {
  const program = pythonProgram(ministack, 'ministack');
  if (!program) return undefined;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
    HOME: process.env.HOME,
    CDK_HOME: folder,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
  };
  const log = openSync(join(folder, 'emulator.log'), 'w');
  const child = spawn(program, [], {
    cwd: folder,
    env: {
      ...environment,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      STATE_DIR: join(folder, 'state'),
      S3_DATA_DIR: join(folder, 's3'),
      TMPDIR: folder,
      LOG_LEVEL: 'WARNING',
    },
    stdio: ['ignore', log, log],
    // A process group of its own, with the functions that it starts.
    detached: true,
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const stop = async (): Promise<void> => {
    if (!isRunning() || child.pid === undefined) return;
    const exited = once(child, 'exit');
    process.kill(-child.pid, 'SIGTERM');
    await exited;
  };
  for (let waited = 0; waited < startSeconds * 10 && isRunning(); waited += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return { port, url, environment: { ...environment, AWS_ENDPOINT_URL: url }, stop };
    await sleep(100);
  }
  await stop();
  throw new Error(`The emulator did not start; see ${join(folder, 'emulator.log')}`);
};
