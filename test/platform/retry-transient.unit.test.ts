import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cancellationReasonsOf,
  retryTransient,
  retryWaits,
  unavailableErrorFor,
  withRetryDeadline,
} from '../../shared/platform/table/retry-transient.ts';
import { cancelled, named } from '../support/stubbed-table.ts';

const withStatus = (httpStatusCode: unknown) => named('SomeError', { $metadata: { httpStatusCode } });
const withCode = (code: unknown) => named('Error', { code });

const transient: [string, unknown][] = [
  ['a conflict', cancelled('None', 'TransactionConflict')],
  ['throttling in a transaction', cancelled('ThrottlingError', 'ProvisionedThroughputExceeded')],
  ['throttling', named('ThrottlingException')],
  ['throttling, with reasons that say nothing', named('ThrottlingException', { CancellationReasons: [{}] })],
  ['throttling, with reasons that are none', named('ThrottlingException', { CancellationReasons: 'none' })],
];
const serviceFailures: [string, unknown][] = [
  ['a timeout', named('TimeoutError')],
  ['status 500', withStatus(500)],
  ['status 503', withStatus(503)],
  ...['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT'].map(
    (code): [string, unknown] => [code, withCode(code)],
  ),
];
const lasting: [string, unknown][] = [
  ['a condition beside a conflict', cancelled('TransactionConflict', 'ConditionalCheckFailed')],
  ['a condition', cancelled('None', 'ConditionalCheckFailed')],
  ['status 499', withStatus(499)],
  ['a status that is none', withStatus('unknown')],
  ['no status', named('SomeError', { $metadata: {} })],
  ['no metadata', named('SomeError', { $metadata: undefined })],
  ['another code', withCode('ENOENT')],
  ['no code', withCode(undefined)],
  ['an unknown name', named('ValidationException')],
  ['a text', 'ThrottlingException'],
  ['an object like an error', { name: 'ThrottlingException', $metadata: { httpStatusCode: 503 }, code: 'EPIPE' }],
  ['nothing', undefined],
];

describe('an error that may be gone in a moment', () => {
  it.each([...transient, ...serviceFailures])('is 503 with Retry-After: %s', (_, error) =>
    expect(unavailableErrorFor(error)).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, cause: error }),
  );
  it.each(lasting)('is not %s', (_, error) => expect(unavailableErrorFor(error)).toBeUndefined());
});

describe('a call', () => {
  it.each(transient)('is made again after %s', async (_, error) => {
    const call = vi.fn().mockRejectedValueOnce(error).mockResolvedValue('done');
    expect(await retryTransient(call)).toBe('done');
    expect(call).toHaveBeenCalledTimes(2);
  });

  // The client itself has made these again by then.
  it.each([...serviceFailures, ...lasting])('is not made again after %s', async (_, error) => {
    const call = vi.fn().mockRejectedValue(error);
    await expect(retryTransient(call)).rejects.toBe(error);
    expect(call).toHaveBeenCalledTimes(1);
  });
});

describe('the reasons of a cancelled transaction', () => {
  it.each<[unknown, unknown]>([
    [cancelled('None', 'TransactionConflict'), [{ Code: 'None' }, { Code: 'TransactionConflict' }]],
    [named('Error', { CancellationReasons: 'none' }), []],
    [new Error('none'), []],
    [{ CancellationReasons: [{ Code: 'None' }] }, []],
    ['text', []],
    [undefined, []],
  ])('of %s are %j', (error, reasons) => expect(cancellationReasonsOf(error)).toEqual(reasons));
});

describe('the waits between retries', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const waitsUntilRefused = async (wait = retryWaits()): Promise<number[]> => {
    const waits: number[] = [];
    for (;;) {
      const before = performance.now();
      const waited = wait('the cause').then(
        () => true,
        () => false,
      );
      await vi.runAllTimersAsync();
      if (!(await waited)) return waits;
      waits.push(performance.now() - before);
    }
  };

  it('double from 25 milliseconds up to a second, and end before ten seconds', async () => {
    expect(await waitsUntilRefused()).toEqual([25, 50, 100, 200, 400, 800, ...Array(8).fill(1000)]);
  });

  it('end with the deadline of the request, exactly', async () => {
    expect(await withRetryDeadline(() => waitsUntilRefused(), 75)).toEqual([25, 50]);
    expect(await withRetryDeadline(() => waitsUntilRefused(), 74)).toEqual([25]);
    expect(await withRetryDeadline(() => waitsUntilRefused())).toHaveLength(14);
  });

  it('that would go beyond it are a 503 with the cause', async () => {
    const wait = withRetryDeadline(() => retryWaits(), 0);
    await expect(wait('the cause')).rejects.toMatchObject({ status: 503, cause: 'the cause' });
  });
});
