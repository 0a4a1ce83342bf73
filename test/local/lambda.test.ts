import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createFunction,
  type FunctionSettings,
  type LambdaFunction,
  RequestTooLargeError,
} from '../../infra/local/lambda/function.ts';
import { createRequestsFirst } from '../../infra/local/lambda/requests-first.ts';
import { keepWarm } from '../../infra/local/lambda/warm-runtimes.ts';

const codeFolder = mkdtempSync(join(tmpdir(), 'lambda-'));
const warnings: string[] = [];
const logFile = join(codeFolder, 'sample.log');
/** Shared by the tests whose result does not depend on earlier invocations. */
let target: LambdaFunction;

/** The time of a function counts from before its thread is started, which a busy machine takes its time for. */
const make = (settings: Partial<FunctionSettings> = {}): LambdaFunction =>
  createFunction({
    name: 'sample',
    codeFolder,
    handler: 'index.handler',
    timeoutSeconds: 30,
    memoryMegabytes: 128,
    youngMegabytes: 8,
    isBackground: false,
    environment: { OWN: 'mine' },
    requestsFirst: undefined,
    eventDelayMilliseconds: 0,
    mayLoop: false,
    logFile,
    warn: (line) => warnings.push(line),
    warmRuntimes: keepWarm(1),
    ...settings,
  });

beforeAll(() => {
  // As in Lambda, no package.json further up applies.
  writeFileSync(join(codeFolder, 'package.json'), '{}');
  writeFileSync(
    join(codeFolder, 'index.js'),
    `let calls = 0;
    const { existsSync, readlinkSync } = require('node:fs');
    const { getPriority } = require('node:os');
    const { basename } = require('node:path');
    exports.handler = async ({ what, length, file }, context) => {
      calls += 1;
      if (what === 'throw') throw new TypeError('on purpose');
      if (what === 'crash') { setTimeout(() => { throw new Error('outside'); }, 1); return new Promise(() => {}); }
      if (what === 'block') for (;;);
      if (what === 'print') { console.log('a line'); console.error('a problem'); }
      if (what === 'priority') return getPriority(Number(basename(readlinkSync('/proc/thread-self'))));
      if (what === 'nothing') return;
      if (what === 'large') return 'x'.repeat(length - 2);
      if (what === 'wait for') while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10));
      if (what === 'wait') await new Promise((resolve) => setTimeout(resolve, 300));
      return { calls, own: process.env.OWN, outer: process.env.PATH, name: context.functionName, gone: undefined,
        time: new Date(0), left: context.getRemainingTimeInMillis() };
    };`,
  );
  target = make();
});
afterAll(async () => {
  await target.stop();
  rmSync(codeFolder, { recursive: true });
});

it('runs with its own environment alone, stays loaded, and returns what JSON keeps', async () => {
  const fresh = make();
  const first = await fresh.invoke({});
  expect(first).toMatchObject({ calls: 1, own: 'mine', name: 'sample', time: '1970-01-01T00:00:00.000Z' });
  expect(first).not.toHaveProperty('outer');
  expect(first).not.toHaveProperty('gone');
  expect(await fresh.invoke({})).toMatchObject({ calls: 2, left: expect.any(Number) });
  expect(await fresh.invoke({ what: 'nothing' })).toBeNull();
  await fresh.stop();
});

it('begins when no request is under way where queues and streams invoke it, and tells of requests to others', async () => {
  let requests = 0;
  const requestsFirst = createRequestsFirst(() => {
    requests += 1;
  });
  const [background, other] = [true, false].map((isBackground) =>
    make({ warmRuntimes: keepWarm(2), isBackground, requestsFirst }),
  );
  await Promise.all([background?.invoke({}), other?.invoke({}, [], () => () => {})]);
  const begins: string[] = [];
  const request = other?.invoke({ what: 'wait for', file: join(codeFolder, 'response') }, [], () => () => {});
  const began = performance.now();
  const waited = background?.invoke({}).then(() => begins.push('background'));
  await sleep(20);
  expect(begins).toEqual([]);
  await waited;
  expect(performance.now() - began).toBeGreaterThan(45);
  writeFileSync(join(codeFolder, 'response'), '');
  await request;
  expect(requests).toBe(2);
  await Promise.all([background?.stop(), other?.stop()]);
});

it.runIf(existsSync('/proc/thread-self'))('lets requests go first where queues and streams invoke it', async () => {
  const background = make({ isBackground: true });
  const [own, others] = [await background.invoke({ what: 'priority' }), await target.invoke({ what: 'priority' })];
  expect(Number(own) - Number(others)).toBe(10);
  await background.stop();
});

it('gets events late on purpose, and none once it has stopped; requests come in time', async () => {
  const late = make({ eventDelayMilliseconds: 200 });
  const began = performance.now();
  const event = late.invoke({}).then((result) => ({ result, after: performance.now() - began }));
  const request = await late.invoke({}, [], () => () => {});
  expect(request).toMatchObject({ calls: 1 });
  const { result, after } = await event;
  expect(result).toMatchObject({ calls: 2 });
  expect(after).toBeGreaterThan(195);
  const lost = late.invoke({});
  await late.stop();
  await expect(lost).rejects.toThrow('The stack has stopped.');
});

it('fails the invocation that throws and goes on', async () => {
  const fresh = make();
  await expect(fresh.invoke({ what: 'throw' })).rejects.toThrow('TypeError: on purpose');
  expect(await fresh.invoke({})).toMatchObject({ calls: 2 });
  await fresh.stop();
});

it('replaces a thread that crashes', async () => {
  await expect(target.invoke({ what: 'crash' })).rejects.toThrow('outside');
  expect(await target.invoke({})).toMatchObject({ calls: 1 });
});

it('ends a thread that blocks when the time of its function is over', async () => {
  const hurried = make({ timeoutSeconds: 2 });
  await expect(hurried.invoke({ what: 'block' })).rejects.toMatchObject({ timedOut: true });
  expect(await hurried.invoke({})).toMatchObject({ calls: 1 });
  await hurried.stop();
});

it('prints into the log, and problems in one line for a person too', async () => {
  await target.invoke({ what: 'print' });
  await expect.poll(() => readFileSync(logFile, 'utf8')).toMatch(/^a line\n(.*\n)*a problem\n/m);
  await expect.poll(() => warnings).toContain('sample: a problem');
});

it('takes events of 6 MB and results of 100 bytes more, and refuses larger ones', async () => {
  const limit = 6 * 1024 * 1024;
  const eventOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  expect(await target.invoke(eventOf(limit))).toMatchObject({ own: 'mine' });
  await expect(target.invoke(eventOf(limit + 1))).rejects.toBeInstanceOf(RequestTooLargeError);
  expect(await target.invoke({ what: 'large', length: limit + 100 })).toHaveLength(limit + 98);
  await expect(target.invoke({ what: 'large', length: limit + 101 })).rejects.toThrow(
    'Exceeded maximum allowed payload size (6291556 bytes)',
  );
});

it('unloads the one that was idle for longest when too many are loaded, and never one that is busy', async () => {
  const warmRuntimes = keepWarm(2);
  const functions = [1, 2, 3].map(() => make({ warmRuntimes }));
  const [first, second, third] = functions as [LambdaFunction, LambdaFunction, LambdaFunction];
  const file = join(codeFolder, 'released');
  const busy = first.invoke({ what: 'wait for', file });
  await second.invoke({});
  await third.invoke({});
  writeFileSync(file, '');
  expect(await busy).toMatchObject({ calls: 1 });
  expect(await third.invoke({})).toMatchObject({ calls: 2 });
  expect(await first.invoke({})).toMatchObject({ calls: 2 });
  expect(await second.invoke({})).toMatchObject({ calls: 1 });
  await Promise.all(functions.map((one) => one.stop()));
});

it('runs 30 requests at once, and tells when another waits and when it begins', async () => {
  const steps: string[] = [];
  const watched = () => {
    steps.push('waits');
    return () => void steps.push('begins');
  };
  const busy = Array.from({ length: 30 }, () => target.invoke({ what: 'wait' }, [], watched));
  expect(steps).toEqual([]);
  const last = target.invoke({}, [], watched);
  expect(steps).toEqual(['waits']);
  await last;
  expect(steps).toEqual(['waits', 'begins']);
  await Promise.all(busy);
});

it('runs 128 invocations for messages at once and no more', async () => {
  const file = join(codeFolder, 'all-released');
  const waitForFile = () => target.invoke({ what: 'wait for', file });
  const busy = Array.from({ length: 127 }, waitForFile);
  expect(await target.invoke({})).toMatchObject({ own: 'mine' });
  busy.push(waitForFile());
  let hasEnded = false;
  const last = target.invoke({}).then(() => {
    hasEnded = true;
  });
  await sleep(200);
  expect(hasEnded).toBe(false);
  writeFileSync(file, '');
  await Promise.all([...busy, last]);
});
