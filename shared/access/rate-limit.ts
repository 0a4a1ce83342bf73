/**
 * A minute that slides in steps: requests are counted in slices of five seconds, and a slice weighs in full until its
 * last moment is a minute old. So no sixty seconds, wherever they begin, see more than the limit, and no request weighs
 * longer than 65. Two counters, one for this minute and one for the minute before, would be fewer, but a burst at the
 * end of a minute would be all but forgotten 59 seconds later. Decisions 1.12.
 */
const sliceMilliseconds = 5_000;
const slicesPerMinute = 12;

/** Slices that weigh at any moment: those of the last minute, and the one that is still filling. */
const weighingSlices = slicesPerMinute + 1;

export interface Usage {
  limitPerMinute: number;
  remaining: number;
  /** Whole seconds until the oldest requests that still weigh are forgotten, and more are allowed. */
  resetSeconds: number;
  /** Whole seconds until another request is allowed; 0 when one is allowed now. */
  retryAfterSeconds: number;
}

/** The slices that weigh at a moment, oldest first; the last is the one that a request is counted in. */
export const slicesAt = (now: Date): number[] => {
  const current = Math.floor(now.getTime() / sliceMilliseconds);
  return Array.from({ length: weighingSlices }, (_, at) => current - slicesPerMinute + at);
};

/** The moment, in seconds since the epoch, from which nothing that was counted up to `now` weighs any more. */
export const forgottenAtSeconds = (now: Date): number =>
  Math.ceil((now.getTime() + weighingSlices * sliceMilliseconds) / 1000);

/** What the headers say when the slices of `slicesAt(now)` hold these counts. */
export const usageOf = (limitPerMinute: number, counts: readonly number[], now: Date): Usage => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const elapsedMilliseconds = now.getTime() % sliceMilliseconds;
  // The slice at a place is forgotten when all before it are, and one step more has passed.
  const secondsUntilForgotten = (place: number): number =>
    Math.ceil(((place + 1) * sliceMilliseconds - elapsedMilliseconds) / 1000);
  const oldest = counts.findIndex((count) => count > 0);
  let weighing = total;
  const freeing = counts.findIndex((count) => {
    weighing -= count;
    return weighing < limitPerMinute;
  });
  const remaining = Math.max(0, limitPerMinute - total);
  return {
    limitPerMinute,
    remaining,
    resetSeconds: secondsUntilForgotten(oldest < 0 ? slicesPerMinute : oldest),
    retryAfterSeconds: remaining > 0 ? 0 : secondsUntilForgotten(freeing < 0 ? slicesPerMinute : freeing),
  };
};
