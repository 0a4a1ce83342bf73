import { AsyncLocalStorage } from 'node:async_hooks';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../../contract/errors.ts';
import { retryWait } from '../clients/retry-wait.ts';

const transientCodes = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'TransactionInProgressException',
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

interface CancellationReason {
  Code?: string;
  /** Without conversion, as the SDK has it in errors. */
  Item?: Record<string, AttributeValue>;
}

export const cancellationReasonsOf = (error: unknown): readonly CancellationReason[] =>
  error instanceof Error && 'CancellationReasons' in error && Array.isArray(error.CancellationReasons)
    ? error.CancellationReasons
    : [];

/** Conflicts and throttling: the same call may succeed in a moment. */
const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const codes = cancellationReasonsOf(error).flatMap(({ Code }) => (Code && Code !== 'None' ? [Code] : []));
  return codes.length > 0 ? codes.every((code) => transientCodes.has(code)) : transientCodes.has(error.name);
};

export const unavailableError = (cause: unknown): ApiError =>
  new ApiError('unavailable', undefined, { cause, headers: { 'retry-after': '2' } });

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

const httpStatusOf = (error: Error): number =>
  '$metadata' in error && error.$metadata instanceof Object && 'httpStatusCode' in error.$metadata
    ? Number(error.$metadata.httpStatusCode)
    : 0;

/** The SDK has used up its own retries by then. */
const isServiceFailure = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TimeoutError' ||
    httpStatusOf(error) >= 500 ||
    ('code' in error && networkCodes.has(String(error.code))));

/** The 503 for an error that may be gone in a moment; undefined for any other error. */
export const unavailableErrorFor = (error: unknown): ApiError | undefined =>
  isTransient(error) || isServiceFailure(error) ? unavailableError(error) : undefined;

/** Per request, or per call outside of requests. */
const retryMilliseconds = 10_000;

const deadlines = new AsyncLocalStorage<number>();

export const withRetryDeadline = <Result>(action: () => Result, milliseconds = retryMilliseconds): Result =>
  deadlines.run(performance.now() + milliseconds, action);

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Throws `unavailable` (503) instead of waiting beyond the deadline. */
export const retryWaits = (): ((cause: unknown) => Promise<void>) => {
  const deadline = deadlines.getStore() ?? performance.now() + retryMilliseconds;
  let retries = 0;
  return async (cause) => {
    const wait = retryWait(retries++);
    if (performance.now() + wait > deadline) throw unavailableError(cause);
    await sleep(wait);
  };
};

/** Throws `unavailable` (503) at the deadline, and other errors at once. */
export const retryTransient = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  const wait = retryWaits();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await wait(error);
    }
  }
};
