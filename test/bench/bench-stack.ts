import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultCounts } from '../../infra/local/faults/faults.ts';
import type { FaultSettings } from '../../infra/local/faults/settings.ts';
import { ampleMemory } from '../../infra/local/lambda/deploy-functions.ts';
import { stackVariables } from '../../infra/stack-variables.ts';
import { startLocalStack } from '../../infra/start/local-stack.ts';
import { createClient } from '../../shared/client/client.ts';
import type { Client } from '../../shared/client/surface.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { askStack } from '../support/operator.ts';

export interface BenchProgram {
  programId: string;
  /** Calls the API; whatever the status is. */
  // biome-ignore lint/suspicious/noExplicitAny: a measurement reads the fields that it expects
  send: (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>;
  /** Without retries: what fails ends the measurement. */
  client: Client;
}

/** A stack of its own with a program, for measurements at full size. */
export interface Bench extends BenchProgram {
  appUrl: string;
  anotherProgram: () => Promise<BenchProgram>;
  /** How many calls functions made to the database, and how many were refused for a conflict. Zero without faults. */
  faultCounts: () => Promise<FaultCounts>;
  /** Does something and prints how long it took. */
  timed: <Result>(what: string, act: () => Promise<Result>) => Promise<Result>;
}

/** Asks every half second until it is so. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await sleep(500);
};

/** Starts to watch the processors of this machine; the returned function tells how busy they were since, from 0 to 1. */
export const watchProcessors = (): (() => number) => {
  const read = () => {
    const times = cpus().map(({ times: { idle, ...busy } }) => ({ idle, busy: Object.values(busy) }));
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    return { idle: sum(times.map(({ idle }) => idle)), busy: sum(times.flatMap(({ busy }) => busy)) };
  };
  const start = read();
  return () => {
    const now = read();
    const busy = now.busy - start.busy;
    return busy / (busy + now.idle - start.idle);
  };
};

/** What a process says of itself (Linux); nothing once it is gone. */
const statOf = (pid: string): { command: string; parent: string; ticks: number } | undefined => {
  try {
    const [, command = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const fields = rest.split(' ');
    return { command, parent: fields[1] ?? '', ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
};

/** Processor seconds of the embedded database that this process has started, which is the child of a shell. */
const databaseSeconds = (): number => {
  if (!existsSync('/proc/self/stat')) return 0;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isOurs = (parent: string) => statOf(parent)?.parent === String(process.pid);
  const own = processes.map(statOf).find((stat) => stat?.command === 'dynoxide' && isOurs(stat.parent));
  return (own?.ticks ?? 0) / 100;
};

/**
 * Starts to watch who uses the processors. The returned function tells how many of them each used on average: the main
 * thread (the client and the gateway), the other threads (functions and embedded servers), the database; and the share
 * of the whole machine that was idle.
 */
export const watchLoad = () => {
  const read = () => ({
    main: process.threadCpuUsage(),
    all: process.cpuUsage(),
    database: databaseSeconds(),
    at: performance.now(),
  });
  const start = read();
  const busySince = watchProcessors();
  return () => {
    const now = read();
    const seconds = (now.at - start.at) / 1000;
    const main = (now.main.user + now.main.system - start.main.user - start.main.system) / 1e6;
    const all = (now.all.user + now.all.system - start.all.user - start.all.system) / 1e6;
    const share = (used: number) => Number((used / seconds).toFixed(2));
    return {
      'cpu main': share(main),
      'cpu functions': share(all - main),
      'cpu database': share(now.database - start.database),
      'machine idle': Number((1 - busySince()).toFixed(2)),
    };
  };
};

/**
 * Runs a measurement on the embedded stack, and stops it whatever becomes of it.
 * @param faults how the calls of functions to the database fail, or take longer
 */
export const bench = async (measure: (bench: Bench) => Promise<void>, faults?: FaultSettings): Promise<void> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'affiliate-program-bench-'));
  const limits = { RATE_LIMIT_READS: '1000000', RATE_LIMIT_WRITES: '1000000' };
  // As each Lambda has it: otherwise a measurement with large records is one of clearing their memory.
  const memory = ampleMemory;
  const stack = await startLocalStack({ port: 0, dataFolder, ephemeral: true, environment: limits, memory, faults });
  try {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: stack.dynamodbEndpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: stack.secretsEndpoint,
      AWS_REGION: stack.region,
      AWS_ACCESS_KEY_ID: stack.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: stack.credentials.secretAccessKey,
      ...stackVariables(stack.outputs),
    });
    const makeProgram = async (): Promise<BenchProgram> => {
      const { programId, apiKey } = await createProgram(
        { name: 'Bench', ownerEmail: `${randomUUID()}@example.com` },
        new Date(),
      );
      const send: BenchProgram['send'] = async (method, path, body) => {
        const response = await fetch(path.startsWith('http') ? path : `${stack.baseUrl}${path}`, {
          method,
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: await response.json() };
      };
      return { programId, client: createClient({ apiKey, baseUrl: stack.baseUrl, maxRetries: 0 }), send };
    };
    const program = await makeProgram();
    const timed: Bench['timed'] = async (what, act) => {
      const start = performance.now();
      const result = await act();
      console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
      return result;
    };
    const faultCounts = async (): Promise<FaultCounts> => JSON.parse(await askStack(process.env, 'ReportFaults', {}));
    await measure({ ...program, appUrl: stack.appUrl, anotherProgram: makeProgram, faultCounts, timed });
  } finally {
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
};
