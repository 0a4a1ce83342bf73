/**
 * A sliding minute from two counters: what the minute before had, weighted by how much of it the last sixty seconds
 * still cover, and this minute. A burst across the edge of a window does not get twice the limit. Decisions 1.12.
 */
export const windowMilliseconds = 60_000;

export interface Usage {
  limitPerMinute: number;
  remaining: number;
  /** Whole seconds until this minute's count is over. */
  resetSeconds: number;
  /** Whole seconds until another request is allowed; 0 when one is allowed now. */
  retryAfterSeconds: number;
}

/** The number of the minute that a moment is in. */
export const windowOf = (now: Date): number => Math.floor(now.getTime() / windowMilliseconds);

const elapsedShare = (now: Date): number => (now.getTime() % windowMilliseconds) / windowMilliseconds;

/** How many requests this minute may have in all, given the count of the minute before. */
export const allowedInWindow = (limitPerMinute: number, previous: number, now: Date): number =>
  Math.floor(limitPerMinute - previous * (1 - elapsedShare(now)));

/** What the headers say after a request was counted, or refused: `current` and `previous` are the two counters. */
export const usageOf = (limitPerMinute: number, previous: number, current: number, now: Date): Usage => {
  const elapsed = elapsedShare(now);
  const remaining = Math.max(0, allowedInWindow(limitPerMinute, previous, now) - current);
  const restOfWindowSeconds = (1 - elapsed) * (windowMilliseconds / 1000);
  let waitSeconds = 0;
  if (remaining === 0) {
    if (current < limitPerMinute && previous > 0) {
      // Within this minute, the weight of the one before falls until one more request fits.
      const neededShare = 1 - (limitPerMinute - current - 1) / previous;
      waitSeconds = (neededShare - elapsed) * (windowMilliseconds / 1000);
    } else {
      // In the next minute, this one's count weighs in and falls.
      waitSeconds = restOfWindowSeconds + Math.max(0, 1 - (limitPerMinute - 1) / current) * 60;
    }
  }
  return {
    limitPerMinute,
    remaining,
    resetSeconds: Math.max(1, Math.ceil(restOfWindowSeconds)),
    retryAfterSeconds: remaining === 0 ? Math.max(1, Math.ceil(waitSeconds)) : 0,
  };
};
