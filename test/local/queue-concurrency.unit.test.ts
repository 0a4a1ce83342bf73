import { expect, it } from 'vitest';
import { createConcurrency } from '../../infra/local/queues/poller.ts';

const after = (most: number, ends: readonly [milliseconds: number, isFailed: boolean][]) => {
  const concurrency = createConcurrency(most, 60);
  for (const [milliseconds, isFailed] of ends) concurrency.ended(milliseconds, isFailed);
  return concurrency.current();
};

it('batches at once grow one by one to the most that the mapping allows', () => {
  expect(after(80, [])).toBe(20);
  expect(after(5, [])).toBe(5);
  expect(after(80, [[30_000, false]])).toBe(21);
  expect(after(80, Array(100).fill([100, false]))).toBe(80);
});

it('batches at once halve where one took more than half of its time or failed, down to one', () => {
  expect(after(80, [[30_001, false]])).toBe(10);
  expect(after(80, [[100, true]])).toBe(10);
  expect(after(80, Array(10).fill([60_000, true]))).toBe(1);
});
