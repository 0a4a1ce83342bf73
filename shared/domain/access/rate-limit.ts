import { createHash } from 'node:crypto';

/**
 * A minute that slides, counted in few and small numbers. The first few requests of a minute to an endpoint share one
 * counter, and later ones are counted in slices of five seconds. A counter weighs in full until all that it holds is a
 * minute old, so no sixty seconds see more than the limit, and what weighs longer than a minute is at most a tenth of it.
 */
const minuteMilliseconds = 60_000;
const sliceMilliseconds = 5_000;

/** The share of the limit that may be counted by the minute: with the slices, a steady 90 % of the limit is never refused. */
const minuteShare = 1 / 50;
/**
 * An item that holds more counters than this would outgrow the 1 KB that one write unit covers. There, an endpoint is
 * counted by the minute as long as it keeps to a fifth of its limit, and that much may weigh for up to two minutes.
 */
const crowdedCounters = 64;
const crowdedShare = 1 / 5;

/** By minute, the counters of all endpoints; see `endpointName` and `sliceName`. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Usage {
  limitPerMinute: number;
  remaining: number;
  /** Whole seconds until the oldest requests that still weigh are forgotten, and more are allowed. */
  resetSeconds: number;
  /** Whole seconds until another request is allowed; 0 when one is allowed now. */
  retryAfterSeconds: number;
}

const nameLength = 2;

/** The name of an endpoint's counters: two characters, because every byte counts. A test finds names that are equal. */
export const endpointName = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest('base64url').slice(0, nameLength);

const minuteAt = (now: Date): number => Math.floor(now.getTime() / minuteMilliseconds);

/** The name of a minute. */
const minuteName = (minute: number): string => minute.toString(36);

/** The names of this minute, the one before and the one after. */
export const minutesAt = (now: Date): { previous: string; current: string; next: string } => {
  const minute = minuteAt(now);
  return { previous: minuteName(minute - 1), current: minuteName(minute), next: minuteName(minute + 1) };
};

/** A slice is one more character behind the endpoint's name. */
const sliceName = (name: string, now: Date): string =>
  name + Math.floor((now.getTime() % minuteMilliseconds) / sliceMilliseconds).toString(36);

/** The moment from which a counter of a minute weighs no more. */
const forgottenAt = (minute: number, counter: string): number => {
  const slice = counter.slice(nameLength);
  const length = slice === '' ? minuteMilliseconds : (Number.parseInt(slice, 36) + 1) * sliceMilliseconds;
  return minute * minuteMilliseconds + length + minuteMilliseconds;
};

interface Weight {
  count: number;
  forgottenAt: number;
}

/** What still weighs of an endpoint, the first to be forgotten first. */
const weightsOf = (counts: Counts, name: string, now: Date): Weight[] => {
  const minute = minuteAt(now);
  // The next minute too: another function's clock may be ahead.
  return [minute - 1, minute, minute + 1]
    .flatMap((at) =>
      Object.entries(counts[minuteName(at)] ?? {})
        .filter(([counter]) => counter.startsWith(name))
        .map(([counter, count]) => ({ count, forgottenAt: forgottenAt(at, counter) })),
    )
    .filter((weight) => weight.forgottenAt > now.getTime())
    .sort((one, other) => one.forgottenAt - other.forgottenAt);
};

const sumOf = (weights: readonly Weight[]): number => weights.reduce((sum, { count }) => sum + count, 0);

const isCrowded = (counts: Counts): boolean =>
  Object.values(counts).reduce((sum, counters) => sum + Object.keys(counters).length, 0) > crowdedCounters;

/** How many requests to an endpoint are counted by the minute, as far as the minute has gone. */
const minuteCapacity = (counts: Counts, limitPerMinute: number, now: Date): number => {
  const elapsed = (now.getTime() % minuteMilliseconds) / minuteMilliseconds;
  return Math.floor(limitPerMinute * (minuteShare + (isCrowded(counts) ? crowdedShare * elapsed : 0)));
};

/** The counter of the current minute that a request goes to, and the value that it must be below before. */
export interface Counter {
  name: string;
  below: number;
}

/** How many requests to an endpoint still weigh. */
export const weightOf = (counts: Counts, endpoint: string, now: Date): number =>
  sumOf(weightsOf(counts, endpoint, now));

/** Where a request is counted while the limit is not reached. */
export const counterFor = (counts: Counts, endpoint: string, limitPerMinute: number, now: Date): Counter => {
  const counters = counts[minutesAt(now).current] ?? {};
  const left = limitPerMinute - weightOf(counts, endpoint, now);
  const inMinute = counters[endpoint] ?? 0;
  const capacity = minuteCapacity(counts, limitPerMinute, now);
  if (inMinute < capacity) return { name: endpoint, below: Math.min(capacity, inMinute + left) };
  const name = sliceName(endpoint, now);
  return { name, below: (counters[name] ?? 0) + left };
};

/** Minutes of which nothing weighs any more, and counters of the minute before that weigh no more. */
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

/** The moment, in seconds since the epoch, from which nothing that was counted up to `now` weighs any more. */
export const forgottenAtSeconds = (now: Date): number =>
  ((minuteAt(now) + 1) * minuteMilliseconds + minuteMilliseconds) / 1000;

/** What the headers say when an item holds these counts. */
export const usageOf = (counts: Counts, endpoint: string, limitPerMinute: number, now: Date): Usage => {
  const weights = weightsOf(counts, endpoint, now);
  const secondsUntil = (moment: number | undefined): number =>
    Math.ceil(((moment ?? now.getTime() + minuteMilliseconds) - now.getTime()) / 1000);
  let weighing = sumOf(weights);
  const remaining = Math.max(0, limitPerMinute - weighing);
  const freeing = weights.find(({ count }) => {
    weighing -= count;
    return weighing < limitPerMinute;
  });
  return {
    limitPerMinute,
    remaining,
    resetSeconds: secondsUntil(weights[0]?.forgottenAt),
    retryAfterSeconds: remaining > 0 ? 0 : secondsUntil(freeing?.forgottenAt),
  };
};
