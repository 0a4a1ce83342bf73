import { createHash } from 'node:crypto';

/** A sliding minute in slices of 5 seconds: no 60 seconds exceed the limit. docs/behavior.md#rate-limits */
const minuteMilliseconds = 60_000;
const sliceMilliseconds = 5_000;

/** With this share and the slices, a steady 90 % of the limit is never refused. */
const minuteShare = 1 / 50;
/** More would outgrow the 1 KB of one write unit; quiet endpoints are then counted by the minute. */
const crowdedCounters = 64;
const crowdedShare = 1 / 5;

export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Usage {
  limitPerMinute: number;
  remaining: number;
  resetSeconds: number;
  /** Whole seconds until another request is allowed; 0 if one is allowed now. */
  retryAfterSeconds: number;
}

const nameLength = 2;

/** Two characters, because every byte counts. A test finds collisions. */
export const endpointName = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest('base64url').slice(0, nameLength);

const minuteAt = (now: Date): number => Math.floor(now.getTime() / minuteMilliseconds);

const minuteName = (minute: number): string => minute.toString(36);

export const minutesAt = (now: Date): { previous: string; current: string; next: string } => {
  const minute = minuteAt(now);
  return { previous: minuteName(minute - 1), current: minuteName(minute), next: minuteName(minute + 1) };
};

/** The newest minute in which something was counted; undefined if nothing was. */
export const lastMinuteOf = (counts: Counts): Date | undefined => {
  const used = Object.entries(counts).filter(([, counters]) => Object.keys(counters).length > 0);
  const [last] = used.map(([name]) => Number.parseInt(name, 36)).sort((one, other) => other - one);
  return last === undefined ? undefined : new Date(last * minuteMilliseconds);
};

const sliceName = (name: string, now: Date): string =>
  name + Math.floor((now.getTime() % minuteMilliseconds) / sliceMilliseconds).toString(36);

const forgottenAt = (minute: number, counter: string): number => {
  const slice = counter.slice(nameLength);
  const length = slice === '' ? minuteMilliseconds : (Number.parseInt(slice, 36) + 1) * sliceMilliseconds;
  return minute * minuteMilliseconds + length + minuteMilliseconds;
};

interface ActiveCount {
  count: number;
  forgottenAt: number;
}

const activeCountsOf = (counts: Counts, name: string, now: Date): ActiveCount[] => {
  const minute = minuteAt(now);
  // Includes the next minute: another function's clock may be ahead.
  return [minute - 1, minute, minute + 1]
    .flatMap((at) =>
      Object.entries(counts[minuteName(at)] ?? {})
        .filter(([counter]) => counter.startsWith(name))
        .map(([counter, count]) => ({ count, forgottenAt: forgottenAt(at, counter) })),
    )
    .filter((active) => active.forgottenAt > now.getTime())
    .sort((one, other) => one.forgottenAt - other.forgottenAt);
};

const sumOf = (activeCounts: readonly ActiveCount[]): number => activeCounts.reduce((sum, { count }) => sum + count, 0);

const isCrowded = (counts: Counts): boolean =>
  Object.values(counts).reduce((sum, counters) => sum + Object.keys(counters).length, 0) > crowdedCounters;

const minuteCapacity = (counts: Counts, limitPerMinute: number, now: Date): number => {
  const elapsed = (now.getTime() % minuteMilliseconds) / minuteMilliseconds;
  return Math.floor(limitPerMinute * (minuteShare + (isCrowded(counts) ? crowdedShare * elapsed : 0)));
};

export interface Counter {
  name: string;
  below: number;
}

export const activeCountOf = (counts: Counts, endpoint: string, now: Date): number =>
  sumOf(activeCountsOf(counts, endpoint, now));

/** `amount` is counted at once or not at all. */
export const counterFor = (
  counts: Counts,
  endpoint: string,
  limitPerMinute: number,
  now: Date,
  amount = 1,
): Counter => {
  const counters = counts[minutesAt(now).current] ?? {};
  const left = limitPerMinute - activeCountOf(counts, endpoint, now);
  const inMinute = counters[endpoint] ?? 0;
  const capacity = minuteCapacity(counts, limitPerMinute, now);
  if (inMinute + amount <= capacity) return { name: endpoint, below: Math.min(capacity, inMinute + left) - amount + 1 };
  const name = sliceName(endpoint, now);
  return { name, below: (counters[name] ?? 0) + left - amount + 1 };
};

export const forgottenIn = (counts: Counts, now: Date): { minutes: string[]; previousCounters: string[] } => {
  const minute = minuteAt(now);
  const { previous } = minutesAt(now);
  return {
    minutes: Object.keys(counts).filter((name) => Number.parseInt(name, 36) < minute - 1),
    previousCounters: Object.keys(counts[previous] ?? {}).filter(
      (counter) => forgottenAt(minute - 1, counter) <= now.getTime(),
    ),
  };
};

/** When every count made until `now` has expired, in seconds since the epoch. */
export const forgottenAtSeconds = (now: Date): number =>
  ((minuteAt(now) + 1) * minuteMilliseconds + minuteMilliseconds) / 1000;

export const usageOf = (counts: Counts, endpoint: string, limitPerMinute: number, now: Date): Usage => {
  const activeCounts = activeCountsOf(counts, endpoint, now);
  const secondsUntil = (moment: number | undefined): number =>
    Math.ceil(((moment ?? now.getTime() + minuteMilliseconds) - now.getTime()) / 1000);
  let remainingCount = sumOf(activeCounts);
  const remaining = Math.max(0, limitPerMinute - remainingCount);
  const freeing = activeCounts.find(({ count }) => {
    remainingCount -= count;
    return remainingCount < limitPerMinute;
  });
  return {
    limitPerMinute,
    remaining,
    resetSeconds: secondsUntil(activeCounts[0]?.forgottenAt),
    retryAfterSeconds: remaining > 0 ? 0 : secondsUntil(freeing?.forgottenAt),
  };
};
