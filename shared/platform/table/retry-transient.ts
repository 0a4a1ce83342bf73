import { AsyncLocalStorage } from 'node:async_hooks';
import { ApiError } from '../../contract/errors.ts';

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
  Item?: Record<string, unknown>;
}

/** Why each write of a cancelled transaction was refused, in their order; none for any other error. */
export const cancellationReasonsOf = (error: unknown): readonly CancellationReason[] =>
  error instanceof Error && 'CancellationReasons' in error && Array.isArray(error.CancellationReasons)
    ? error.CancellationReasons
    : [];

/** True for conflicts and throttling: the same call may succeed in a moment. */
export const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const codes = cancellationReasonsOf(error).flatMap(({ Code }) => (Code && Code !== 'None' ? [Code] : []));
  return codes.length > 0 ? codes.every((code) => transientCodes.has(code)) : transientCodes.has(error.name);
};

/** The 503 for a call that kept failing for transient reasons. */
const unavailableError = (cause: unknown): ApiError =>
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

/** True where an AWS service timed out, failed or could not be reached, and the SDK has used up its own retries. */
const isServiceFailure = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TimeoutError' ||
    httpStatusOf(error) >= 500 ||
    ('code' in error && networkCodes.has(String(error.code))));

/** The 503 for an error that may be gone in a moment; undefined for any other error. */
export const unavailableErrorFor = (error: unknown): ApiError | undefined =>
  isTransient(error) || isServiceFailure(error) ? unavailableError(error) : undefined;

/** How long the calls of one request, or one call outside of requests, are retried. */
const retryMilliseconds = 10_000;
const firstWaitMilliseconds = 25;
const maxWaitMilliseconds = 1000;

const deadlines = new AsyncLocalStorage<number>();

/** Runs a request, all of whose calls are retried until the same moment. */
export const withRetryDeadline = <Result>(request: () => Result): Result =>
  deadlines.run(performance.now() + retryMilliseconds, request);

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A random wait below a bound that doubles with each retry (full jitter), so that concurrent calls spread out. */
const retryWait = (retries: number): number =>
  Math.random() * Math.min(maxWaitMilliseconds, firstWaitMilliseconds * 2 ** retries);

/**
 * The waits between the retries of one call. Each throws the `unavailable` error (503) instead where it would go beyond
 * the request's deadline.
 */
export const retryWaits = (): ((cause: unknown) => Promise<void>) => {
  const deadline = deadlines.getStore() ?? performance.now() + retryMilliseconds;
  let retries = 0;
  return async (cause) => {
    const wait = retryWait(retries++);
    if (performance.now() + wait > deadline) throw unavailableError(cause);
    await sleep(wait);
  };
};

/**
 * Makes a call again while it fails for a transient reason, until the request's deadline: then throws the `unavailable`
 * error (503). Any other error is thrown at once, as it is.
 */
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
