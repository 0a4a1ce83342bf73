import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { documents } from '../../shared/table/client.ts';
import { retryTransient, withRetryDeadline } from '../../shared/table/retry-transient.ts';
import { type Write, writeTogether } from '../../shared/table/transaction.ts';

// No local emulator raises conflicts or throttling: this is the one place where the client is a stub.
const stubbedSend = (...answers: (Error | 'written')[]) => {
  const send = vi.spyOn(documents, 'send').mockImplementation(async () => {
    const answer = answers.shift() ?? 'written';
    if (answer instanceof Error) throw answer;
  });
  return { send };
};

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'Transaction cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const named = (name: string) => Object.assign(new Error(name), { name });

class Refused extends Error {}
const write = (refusal: Write['refusal'] = () => new Refused()): Write => ({
  Delete: { TableName: 'records', Key: { pk: 'a', sk: 'b' } },
  refusal,
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a write that belongs together', () => {
  it.each([
    cancelled('None', 'TransactionConflict'),
    cancelled('ThrottlingError'),
    cancelled('ProvisionedThroughputExceeded', 'TransactionConflict'),
    named('TransactionConflictException'),
    named('TransactionInProgressException'),
    named('ThrottlingException'),
    named('ProvisionedThroughputExceededException'),
    named('RequestLimitExceeded'),
  ])('is tried again after %s', async (error) => {
    const { send } = stubbedSend(error, error, 'written');
    await writeTogether([write(), write()]);
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('sends the same write each time, and never its refusal', async () => {
    const { send } = stubbedSend(cancelled('TransactionConflict'));
    await writeTogether([write()]);
    const inputs = send.mock.calls.map(([command]) => command.input);
    expect(inputs).toEqual([inputs[0], inputs[0]]);
    expect(JSON.stringify(inputs[0])).not.toContain('refusal');
  });

  it('is not tried again when a condition did not hold, and throws the refusal of that item', async () => {
    const { send } = stubbedSend(cancelled('None', 'ConditionalCheckFailed'));
    const refusal = new Refused('the second');
    await expect(writeTogether([write(), write(() => refusal)])).rejects.toBe(refusal);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('is not tried again when one item was in conflict and another one refused', async () => {
    const { send } = stubbedSend(cancelled('TransactionConflict', 'ConditionalCheckFailed'));
    await expect(writeTogether([write(), write()])).rejects.toThrow(Refused);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([named('ValidationException'), cancelled('ValidationError'), named('AccessDeniedException')])(
    'throws %s at once, as it is',
    async (error) => {
      const { send } = stubbedSend(error);
      await expect(writeTogether([write()])).rejects.toBe(error);
      expect(send).toHaveBeenCalledTimes(1);
    },
  );

  it('answers 503 with Retry-After when the conflict lasts', async () => {
    vi.useFakeTimers();
    const conflict = cancelled('TransactionConflict');
    const call = vi.fn().mockRejectedValue(conflict);
    const result = expect(retryTransient(call)).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      cause: conflict,
    });
    await vi.runAllTimersAsync();
    await result;
    expect(call.mock.calls.length).toBeGreaterThan(10);
    expect(call.mock.calls.length).toBeLessThan(100);
  });

  it('stops retrying at one deadline for all calls of a request', async () => {
    vi.useFakeTimers();
    const call = vi.fn().mockRejectedValue(cancelled('TransactionConflict'));
    const start = performance.now();
    const result = withRetryDeadline(async () => {
      for (let calls = 0; calls < 5; calls++) await retryTransient(call).catch(() => undefined);
      return performance.now() - start;
    });
    await vi.runAllTimersAsync();
    expect(await result).toBeLessThanOrEqual(10_000);
    expect(await result).toBeGreaterThan(8000);
  });

  it('keeps its jitter up to the last retry, so that concurrent calls do not meet again', async () => {
    vi.useFakeTimers();
    const start = performance.now();
    const lastWaits = Array.from({ length: 20 }, async () => {
      let last = start;
      let wait = 0;
      await retryTransient(async () => {
        wait = performance.now() - last;
        last = performance.now();
        throw cancelled('TransactionConflict');
      }).catch(() => undefined);
      return wait;
    });
    await vi.runAllTimersAsync();
    const waits = await Promise.all(lastWaits);
    expect(new Set(waits.map((wait) => Math.floor(wait / 50))).size).toBeGreaterThan(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1001);
  });
});
