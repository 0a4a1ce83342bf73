/** See docs/behavior.md#attempts */
const standardSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 36_000] as const;

const jitter = 0.2;

export const retrySchedule = (setting = process.env.WEBHOOK_RETRY_SECONDS ?? ''): readonly number[] =>
  setting ? setting.split(',').map(Number) : standardSeconds;

export const retryAfterSeconds = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // HTTP's date form only: Date.parse would also take "-5" or "2026".
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
};

/** In seconds, undefined if none is left; `failures` is at least 1, `random` below 1. docs/behavior.md#attempts */
export const waitSeconds = (
  schedule: readonly number[],
  failures: number,
  askedSeconds: number | undefined,
  random: number,
): number | undefined => {
  const wait = schedule[failures - 1];
  if (wait === undefined) return undefined;
  const spread = wait * (1 - jitter + 2 * jitter * random);
  // Rounded down, because queues delay whole seconds, but not below the minimum.
  const ownSeconds = Math.max(Math.floor(spread), Math.ceil(wait * (1 - jitter)));
  return Math.max(ownSeconds, Math.ceil(Math.min(askedSeconds ?? 0, 2 * wait)));
};
