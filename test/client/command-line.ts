import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, inject } from 'vitest';
import { bundleCommandLine } from '../../infra/client/build.ts';
import { type Api, makeCoupon, makeProgram } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

/** `affiliate-program` as a process of its own, with a folder of its own for its settings. */

export let folder: string;
export let api: Api;
export let couponId: string;
export let receiver: ScriptedReceiver;

export const spawned = (args: readonly string[], stored: string, given: Record<string, string>) => {
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: stored, ...given };
  return spawn(process.execPath, [join(folder, 'cli.js'), ...args], { env });
};

export interface Ended {
  code: number | null;
  output: string;
  problems: string;
}

/** Runs a command to its end. `stored` is the folder of its settings, `given` its environment. */
export const run = async (
  args: readonly string[],
  {
    input = '',
    stored = folder,
    given = { AFFILIATE_PROGRAM_URL: inject('baseUrl'), AFFILIATE_PROGRAM_KEY: api.apiKey },
  }: {
    input?: string;
    stored?: string;
    given?: Record<string, string>;
  } = {},
): Promise<Ended> => {
  const child = spawned(args, stored, given);
  child.stdin.end(input);
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  return { code: child.exitCode, output, problems };
};

export const json = async (args: readonly string[], options?: Parameters<typeof run>[1]) => {
  const { code, output, problems } = await run(args, options);
  if (code !== 0) throw new Error(problems);
  return JSON.parse(output);
};

export const useCommandLine = (): void => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'affiliate-program-cli-'));
    [api, receiver] = await Promise.all([makeProgram(), startScriptedReceiver(), bundleCommandLine(folder)]);
    couponId = (await makeCoupon(api)).id;
  });
  afterAll(async () => {
    receiver.stop();
    await rm(folder, { recursive: true, force: true });
  });
};
