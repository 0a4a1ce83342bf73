/** Seconds to wait after each failed attempt: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. Decisions, section 4. */
const standardSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 36_000] as const;

const jitter = 0.2;

/** The waits between attempts in seconds: WEBHOOK_RETRY_SECONDS, where it is set, instead of the standard ones. */
export const retrySchedule = (setting = process.env.WEBHOOK_RETRY_SECONDS ?? ''): readonly number[] =>
  setting ? setting.split(',').map(Number) : standardSeconds;

/**
 * The seconds that a Retry-After header asks for, given as seconds or as a date; undefined where it is neither.
 */
export const retryAfterSeconds = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // Only the form that HTTP has for dates: Date.parse alone would also take "-5" or "2026".
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
};

/**
 * The wait before the next attempt in whole seconds, or undefined when there is none left. The schedule's wait +-20 %,
 * and up to twice the wait where the receiver asks for more.
 * @param failures attempts that have failed so far, at least 1
 * @param random from 0 up to, but not including, 1
 */
export const waitSeconds = (
  schedule: readonly number[],
  failures: number,
  askedSeconds: number | undefined,
  random: number,
): number | undefined => {
  const wait = schedule[failures - 1];
  if (wait === undefined) return undefined;
  const spread = wait * (1 - jitter + 2 * jitter * random);
  // Whole seconds, as queues delay: rounded down, but not below the least wait.
  const ownSeconds = Math.max(Math.floor(spread), Math.ceil(wait * (1 - jitter)));
  return Math.max(ownSeconds, Math.ceil(Math.min(askedSeconds ?? 0, 2 * wait)));
};
