import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../infra/local/deployment/event-sources.ts';
import { createFilter } from '../../infra/local/lambda/event-filter.ts';
import { type BatchSettings, processBatch } from '../../infra/local/streams/batch.ts';
import { createLanes, laneOf } from '../../infra/local/streams/lanes.ts';

const records = (count: number): DynamoDBRecord[] =>
  Array.from({ length: count }, (_, index) => ({ dynamodb: { SequenceNumber: String(index + 1) } }));
const numbersOf = (part: readonly DynamoDBRecord[]) => part.map(({ dynamodb }) => Number(dynamodb?.SequenceNumber));

/** Runs a batch of that size and tells what was handed over, how far the checkpoint came, and what was given up. */
const run = async (
  count: number,
  handle: (numbers: number[], call: number) => unknown,
  settings: Partial<BatchSettings> = {},
) => {
  const calls: number[][] = [];
  const checkpoints: number[] = [];
  const givenUp: number[][] = [];
  await processBatch(records(count), {
    invoke: async (part) => {
      calls.push(numbersOf(part));
      return handle(numbersOf(part), calls.length);
    },
    maximumRetryAttempts: 2,
    bisectOnError: false,
    reportsItemFailures: true,
    onDone: (sequenceNumber) => void checkpoints.push(Number(sequenceNumber)),
    onGivenUp: async (part) => void givenUp.push(numbersOf(part)),
    firstWaitMilliseconds: 1,
    signal: new AbortController().signal,
    ...settings,
  });
  return { calls, checkpoints, givenUp };
};
const failing = (...numbers: number[]) => ({
  batchItemFailures: numbers.map((number) => ({ itemIdentifier: String(number) })),
});

it('moves the checkpoint once a batch succeeded', async () => {
  const { calls, checkpoints } = await run(3, () => failing());
  expect({ calls, checkpoints }).toEqual({ calls: [[1, 2, 3]], checkpoints: [3] });
});

it('starts again at the first record that was reported, in order', async () => {
  const { calls, checkpoints } = await run(4, (_numbers, call) => (call === 1 ? failing(3, 2) : null));
  expect(calls).toEqual([
    [1, 2, 3, 4],
    [2, 3, 4],
  ]);
  expect(checkpoints).toEqual([1, 4]);
});

it('treats an error, an unknown id and a response out of shape as a failure of everything', async () => {
  const responses = [
    () => Promise.reject(new Error('down')),
    () => failing(99),
    () => ({ batchItemFailures: 'no list' }),
    () => ({}),
  ];
  const { calls, checkpoints } = await run(2, (_numbers, call) => responses[call - 1]?.(), { maximumRetryAttempts: 5 });
  expect([calls.length, checkpoints]).toEqual([4, [2]]);
});

it('halves a failing batch until the bad record is alone, gives up that one and loses no other', async () => {
  const processed = new Set<number>();
  const { checkpoints, givenUp } = await run(
    8,
    (numbers) => {
      if (numbers.includes(6)) throw new Error('bad record');
      for (const number of numbers) processed.add(number);
      return null;
    },
    { bisectOnError: true },
  );
  expect(givenUp).toEqual([[6]]);
  expect([...processed]).toEqual([1, 2, 3, 4, 5, 7, 8]);
  expect(checkpoints).toEqual(checkpoints.toSorted((one, other) => one - other));
  expect(checkpoints.at(-1)).toBe(8);
});

it('gives up after the retries that are allowed, and goes on', async () => {
  const { calls, givenUp, checkpoints } = await run(2, () => failing(1));
  expect([calls.length, givenUp, checkpoints]).toEqual([3, [[1, 2]], [2]]);
});

it('leaves the checkpoint where it is when it is told to stop', async () => {
  const stop = new AbortController();
  const handle = () => {
    stop.abort();
    throw new Error('interrupted');
  };
  const { calls, checkpoints } = await run(2, handle, { signal: stop.signal });
  expect([calls.length, checkpoints]).toEqual([1, []]);
});

it('keeps a checkpoint for the stream it belongs to and no other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  try {
    expect(openCheckpoint(folder, 'Mapping', 'arn:one').read()).toBeUndefined();
    openCheckpoint(folder, 'Mapping', 'arn:one').write('42');
    expect(openCheckpoint(folder, 'Mapping', 'arn:one').read()).toBe('42');
    expect(openCheckpoint(folder, 'Mapping', 'arn:another').read()).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('passes the records that a filter pattern describes', () => {
  const pattern = { eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: 'PROGRAM#' }] } } } };
  const passes = createFilter({ Filters: [{ Pattern: JSON.stringify(pattern) }] });
  const record = (eventName: string, pk: string) => ({ eventName, dynamodb: { Keys: { pk: { S: pk } } } });
  expect(passes(record('INSERT', 'PROGRAM#1'))).toBe(true);
  expect(passes(record('REMOVE', 'PROGRAM#1'))).toBe(false);
  expect(passes(record('INSERT', 'ACCOUNT#1'))).toBe(false);
  expect(createFilter(undefined)(record('REMOVE', ''))).toBe(true);
});

describe('lanes', () => {
  const changesOf = (count: number) =>
    records(count).map((record, at) => ({
      dynamodb: { ...record.dynamodb, Keys: { pk: { S: 'COUPON' }, sk: { S: String(at % 20) } } },
    }));
  const keyed = (sk: string) => ({ dynamodb: { Keys: { pk: { S: 'COUPON' }, sk: { S: sk } } } });
  const itemOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.Keys?.sk?.S ?? '';
  const sequenceOf = ({ dynamodb }: DynamoDBRecord | undefined = {}) => dynamodb?.SequenceNumber ?? '';

  it('hands over several batches at the same time, all changes of one item in their order and never two at once', async () => {
    const changes = changesOf(180);
    const abort = new AbortController();
    const progress: string[] = [];
    const seen: DynamoDBRecord[] = [];
    const busy: string[] = [];
    let maxAtOnce = 0;
    const lanes = createLanes({
      count: 4,
      batchSize: 10,
      process: async (batch, onDone) => {
        const items = [...new Set(batch.map(itemOf))];
        expect(batch.length).toBeLessThanOrEqual(10);
        expect(busy.filter((item) => items.includes(item))).toEqual([]);
        busy.push(...items);
        maxAtOnce = Math.max(maxAtOnce, new Set(busy.map((sk) => laneOf(keyed(sk), 4))).size);
        await sleep(5 * Math.random());
        for (const item of items) busy.splice(busy.indexOf(item), 1);
        seen.push(...batch);
        onDone(sequenceOf(batch.at(-1)));
      },
      onProgress: (sequenceNumber) => progress.push(sequenceNumber),
      warn: () => {},
      signal: abort.signal,
    });
    for (let start = 0; start < changes.length; start += 45)
      await lanes.add(changes.slice(start, start + 45), () => true);
    await lanes.idle();
    expect(maxAtOnce).toBe(4);
    expect(numbersOf(seen).toSorted((one, other) => one - other)).toEqual(numbersOf(changes));
    for (const item of new Set(changes.map(itemOf))) {
      const numbers = numbersOf(seen.filter((change) => itemOf(change) === item));
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    }
    expect(progress.at(-1)).toBe(sequenceOf(changes.at(-1)));
    expect(progress.map(Number)).toEqual(progress.map(Number).toSorted((one, other) => one - other));
  });

  it('goes on beside a batch that does not end, and moves the checkpoint only behind what is done in all lanes', async () => {
    const changes = changesOf(60);
    const [stuck, ...others] = changes;
    const abort = new AbortController();
    const held = Promise.withResolvers<void>();
    const progress: string[] = [];
    const done: DynamoDBRecord[] = [];
    const lanes = createLanes({
      count: 4,
      batchSize: 100,
      process: async (batch, onDone) => {
        if (stuck && batch.includes(stuck)) await held.promise;
        done.push(...batch);
        onDone(sequenceOf(batch.at(-1)));
      },
      onProgress: (sequenceNumber) => progress.push(sequenceNumber),
      warn: () => {},
      signal: abort.signal,
    });
    if (stuck) await lanes.add([stuck], () => true);
    await lanes.add(others, () => true);
    const stuckLane = stuck && laneOf(stuck, 4);
    const elsewhere = others.filter((change) => laneOf(change, 4) !== stuckLane);
    await expect.poll(() => done.length).toBe(elsewhere.length);
    expect(progress).toEqual([]);
    held.resolve();
    await lanes.idle();
    expect(progress.at(-1)).toBe(sequenceOf(changes.at(-1)));
    expect(done).toHaveLength(changes.length);
  });

  it('reads on past records that need no work, so that the batch after a slow one is full', async () => {
    const changes = changesOf(2000);
    const held = Promise.withResolvers<void>();
    const batches: number[] = [];
    const lanes = createLanes({
      count: 1,
      batchSize: 100,
      process: async (batch, onDone) => {
        batches.push(batch.length);
        await held.promise;
        onDone(sequenceOf(batch.at(-1)));
      },
      onProgress: () => {},
      warn: () => {},
      signal: new AbortController().signal,
    });
    for (let start = 0; start < changes.length; start += 100)
      await lanes.add(changes.slice(start, start + 100), (record) => itemOf(record as DynamoDBRecord) === '7');
    held.resolve();
    await lanes.idle();
    expect(batches).toEqual([5, 95]);
  });

  it('reads no further than 5,000 records, whatever they are', async () => {
    const [first, ...others] = changesOf(5000);
    const held = Promise.withResolvers<void>();
    const lanes = createLanes({
      count: 1,
      batchSize: 100,
      process: async (batch, onDone) => {
        await held.promise;
        onDone(sequenceOf(batch.at(-1)));
      },
      onProgress: () => {},
      warn: () => {},
      signal: new AbortController().signal,
    });
    let isRead = false;
    const reading = lanes.add([...(first ? [first] : []), ...others], (record) => record === first);
    void reading.then(() => {
      isRead = true;
    });
    await sleep(10);
    expect(isRead).toBe(false);
    held.resolve();
    await reading;
  });

  it('takes no more than it has room for, counts what the filter drops as done, and repeats a batch that threw', async () => {
    const changes = changesOf(201);
    const abort = new AbortController();
    const held = Promise.withResolvers<void>();
    const progress: string[] = [];
    const warnings: string[] = [];
    let attempts = 0;
    const lanes = createLanes({
      count: 1,
      batchSize: 100,
      process: async (batch, onDone) => {
        attempts += 1;
        await held.promise;
        if (attempts === 1) throw new Error('the queue of dead letters is gone');
        onDone(sequenceOf(batch.at(-1)));
      },
      onProgress: (sequenceNumber) => progress.push(sequenceNumber),
      warn: (line) => warnings.push(line),
      signal: abort.signal,
    });
    let hasRoom = false;
    const added = lanes
      .add(changes, (change) => change !== changes.at(-1))
      .then(() => {
        hasRoom = true;
      });
    await sleep(50);
    expect(hasRoom).toBe(false);
    held.resolve();
    await added;
    await lanes.idle();
    expect(attempts).toBe(3);
    expect(warnings).toHaveLength(1);
    expect(progress.at(-1)).toBe(sequenceOf(changes.at(-1)));
  });
});
