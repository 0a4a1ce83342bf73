const firstWaitMilliseconds = 25;
const maxWaitMilliseconds = 1000;

/** Milliseconds before a retry, the first of which is 0: exponential backoff with full jitter. */
export const retryWait = (retry: number): number =>
  Math.random() * Math.min(maxWaitMilliseconds, firstWaitMilliseconds * 2 ** retry);
