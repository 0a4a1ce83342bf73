import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { documents } from '../../shared/table/client.ts';
import { retryPassing, type Write, writeTogether } from '../../shared/table/transaction.ts';

// No local emulator raises conflicts or throttling: this is the one place where the client is a stub.
const stubbedSend = (...answers: (Error | 'written')[]) => {
  const moments: number[] = [];
  const send = vi.spyOn(documents, 'send').mockImplementation(async () => {
    moments.push(performance.now());
    const answer = answers.shift() ?? 'written';
    if (answer instanceof Error) throw answer;
  });
  return { send, moments };
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

  it('waits between attempts for times that differ', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.99);
    const { moments } = stubbedSend(cancelled('TransactionConflict'), cancelled('TransactionConflict'));
    await writeTogether([write()]);
    const [start = 0, second = 0, third = 0] = moments;
    // A timer may fire a millisecond early.
    expect(second - start).toBeGreaterThanOrEqual(14);
    expect(third - second).toBeGreaterThan((second - start) * 1.5);
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

  it('is given up in the end', async () => {
    vi.useFakeTimers();
    const conflict = cancelled('TransactionConflict');
    const attempt = vi.fn(async () => {
      throw conflict;
    });
    const result = expect(retryPassing(attempt)).rejects.toBe(conflict);
    await vi.runAllTimersAsync();
    await result;
    vi.useRealTimers();
    expect(attempt.mock.calls.length).toBeGreaterThan(5);
    expect(attempt.mock.calls.length).toBeLessThan(20);
  });
});
