/** Requests a second, and how many may come at once. */
export interface Throttling {
  readonly rate: number;
  readonly burst: number;
}

/**
 * The token bucket that API Gateway throttles a stage with.
 *
 * @param now the time in milliseconds
 * @returns whether the next request is let through
 */
export function createThrottle({ rate, burst }: Throttling, now: () => number): () => boolean {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - filledAt) / 1000) * rate);
    filledAt = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
