import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createFilter } from '../../infra/local/event-filter.ts';
import { openCheckpoint } from '../../infra/local/event-sources.ts';
import { type BatchSettings, batchesOf, processBatch } from '../../infra/local/stream-batch.ts';

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

it('treats an error, an unknown id and an answer out of shape as a failure of everything', async () => {
  const answers = [
    () => Promise.reject(new Error('down')),
    () => failing(99),
    () => ({ batchItemFailures: 'no list' }),
    () => ({}),
  ];
  const { calls, checkpoints } = await run(2, (_numbers, call) => answers[call - 1]?.(), { maximumRetryAttempts: 5 });
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

it('hands over several batches at the same time, with all changes of one item in one of them, in their order', () => {
  const changes = records(60).map((record, at) => ({
    dynamodb: { ...record.dynamodb, Keys: { pk: { S: 'COUPON' }, sk: { S: String(at % 20) } } },
  }));
  expect(batchesOf(changes, 1)).toEqual([changes]);
  const batches = batchesOf(changes, 4);
  expect(batches).toHaveLength(4);
  expect(batches.flatMap(numbersOf).sort((one, other) => one - other)).toEqual(numbersOf(changes));
  for (const batch of batches) {
    const items = batch.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S);
    for (const item of new Set(items)) expect(items.filter((other) => other === item)).toHaveLength(3);
    expect(numbersOf(batch)).toEqual(numbersOf(batch).toSorted((one, other) => one - other));
  }
});
