import * as z from 'zod';
import { type ItemKey, updateItem } from '../../platform/table/items.ts';
import {
  activeCountOf,
  type Counter,
  type Counts,
  counterFor,
  endpointName,
  forgottenAtSeconds,
  forgottenIn,
  minutesAt,
  type Usage,
  usageOf,
} from './rate-limit.ts';
import { RecentlySeen } from './recently-seen.ts';

type Item = Record<string, unknown>;

export interface RequestToCount {
  endpoint: string;
  limitPerMinute: number;
  now: Date;
  /** How much of the limit it takes; 1 if absent. */
  amount?: number;
}

export interface Counted {
  item: Item | undefined;
  isAllowed: boolean;
  usage: Usage;
}

export const StoredCounts = z.record(z.string(), z.record(z.string(), z.number()));
const countsOf = (item: Item | undefined): Counts =>
  item?.counts === undefined ? {} : StoredCounts.parse(item.counts);

/** DynamoDB limits the size of an expression; the rest is removed with the next request. */
const maxRemovals = 40;

/** More than the ways in which another function's write can come first. */
const maxAttempts = 6;

const lastSeen = new RecentlySeen<Item>(10_000);

/** As this function last saw it. Counts only grow, so it can refuse a request but never admit one. */
export const lastSeenItem = ({ pk }: ItemKey): Item | undefined => lastSeen.get(pk);

export const rememberItem = ({ pk }: ItemKey, item: Item | undefined): void => {
  if (item) lastSeen.set(pk, item);
  else lastSeen.delete(pk);
};

export const lastSeenUsage = (key: ItemKey, { endpoint, limitPerMinute, now }: RequestToCount): Usage =>
  usageOf(countsOf(lastSeenItem(key)), endpointName(endpoint), limitPerMinute, now);

interface Expressions {
  sets: string[];
  removals: string[];
  conditions: string[];
  names: Record<string, string>;
  values: Record<string, unknown>;
}

const incrementing = (seen: Counts, counter: Counter, now: Date, amount: number): Expressions => {
  const { previous, current, next } = minutesAt(now);
  const forgotten = forgottenIn(seen, now);
  const names: Record<string, string> = { '#counts': 'counts', '#minute': current, '#counter': counter.name };
  const removals = forgotten.minutes.slice(0, maxRemovals).map((minute, at) => {
    names[`#forgotten${at}`] = minute;
    return `#counts.#forgotten${at}`;
  });
  const conditions = [
    'attribute_exists(#counts.#minute)',
    '(attribute_not_exists(#counts.#minute.#counter) OR #counts.#minute.#counter < :below)',
  ];
  const counters = forgotten.previousCounters.slice(0, maxRemovals);
  if (counters.length > 0) {
    names['#previous'] = previous;
    // A function whose clock is ahead may have removed the minute.
    conditions.push('attribute_exists(#counts.#previous)');
    for (const [at, name] of counters.entries()) {
      names[`#counter${at}`] = name;
      removals.push(`#counts.#previous.#counter${at}`);
    }
  }
  const sets = ['#counts.#minute.#counter = if_not_exists(#counts.#minute.#counter, :zero) + :amount'];
  const values: Record<string, unknown> = { ':zero': 0, ':amount': amount, ':below': counter.below };
  if (!seen[next]) {
    // Created ahead, so that the first request of a minute needs no second write.
    names['#next'] = next;
    values[':empty'] = {};
    sets.push('#counts.#next = if_not_exists(#counts.#next, :empty)');
  }
  return { sets, removals, conditions, names, values };
};

const beginningMinute = (seen: Counts, counter: Counter, now: Date, amount: number): Expressions => {
  const { current, next } = minutesAt(now);
  const names: Record<string, string> = { '#counts': 'counts', '#minute': current, '#next': next };
  const removals = forgottenIn(seen, now)
    .minutes.slice(0, maxRemovals)
    .map((minute, at) => {
      names[`#forgotten${at}`] = minute;
      return `#counts.#forgotten${at}`;
    });
  return {
    sets: ['#counts.#minute = :first', '#counts.#next = if_not_exists(#counts.#next, :empty)'],
    removals,
    conditions: ['attribute_exists(#counts)', 'attribute_not_exists(#counts.#minute)'],
    names,
    values: { ':first': { [counter.name]: amount }, ':empty': {} },
  };
};

const beginningItem = (counter: Counter, now: Date, amount: number, mustExist: boolean): Expressions => {
  const { current, next } = minutesAt(now);
  return {
    sets: ['#counts = :counts'],
    removals: [],
    conditions: [...(mustExist ? ['attribute_exists(pk)'] : []), 'attribute_not_exists(#counts)'],
    names: { '#counts': 'counts' },
    values: { ':counts': { [current]: { [counter.name]: amount }, [next]: {} } },
  };
};

type Outcome = { kind: 'counted'; item: Item } | { kind: 'refused'; item: Item | undefined };

/** `refused`: the item was not as this function had seen it. */
const write = async (key: ItemKey, parts: Expressions, expiresAt: number | undefined): Promise<Outcome> => {
  const { sets, removals, conditions, names, values } = parts;
  const isExpiring = expiresAt !== undefined;
  const written = await updateItem('traffic', key, {
    UpdateExpression:
      `SET ${[...sets, ...(isExpiring ? ['#ttl = :ttl'] : [])].join(', ')}` +
      (removals.length > 0 ? ` REMOVE ${removals.join(', ')}` : ''),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { ...names, ...(isExpiring && { '#ttl': 'ttl' }) },
    ExpressionAttributeValues: { ...values, ...(isExpiring && { ':ttl': expiresAt }) },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return written.isWritten ? { kind: 'counted', item: written.value ?? {} } : { kind: 'refused', item: written.item };
};

const writeFor = (
  seen: Item | undefined,
  counter: Counter,
  { now, amount = 1 }: RequestToCount,
  mustExist: boolean,
): Expressions => {
  const counts = countsOf(seen);
  const hasCounts = seen ? seen.counts !== undefined : mustExist;
  if (!hasCounts) return beginningItem(counter, now, amount, mustExist);
  return counts[minutesAt(now).current]
    ? incrementing(counts, counter, now, amount)
    : beginningMinute(counts, counter, now, amount);
};

/** One conditional write; none if the limit is known to be reached. */
export const countRequest = async (
  key: ItemKey,
  request: RequestToCount,
  { mustExist }: { mustExist: boolean },
): Promise<Counted> => {
  const { limitPerMinute, now, amount = 1 } = request;
  const endpoint = endpointName(request.endpoint);
  const counted = (item: Item | undefined, isCounted: boolean): Counted => {
    const counts = countsOf(item);
    const isAllowed = isCounted && activeCountOf(counts, endpoint, now) <= limitPerMinute;
    return { item, isAllowed, usage: usageOf(counts, endpoint, limitPerMinute, now) };
  };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const seen = lastSeenItem(key);
    const counts = countsOf(seen);
    if (activeCountOf(counts, endpoint, now) + amount > limitPerMinute) return counted(seen, false);
    const counter = counterFor(counts, endpoint, limitPerMinute, now, amount);
    const expiresAt = mustExist ? undefined : forgottenAtSeconds(now);
    const outcome = await write(key, writeFor(seen, counter, request, mustExist), expiresAt);
    // Responses to concurrent writes may arrive out of order: an older count must not replace a newer one.
    const isOlder =
      outcome.kind === 'counted' &&
      activeCountOf(countsOf(outcome.item), endpoint, now) < activeCountOf(countsOf(lastSeenItem(key)), endpoint, now);
    if (!isOlder) rememberItem(key, outcome.item);
    if (outcome.kind === 'counted') return counted(outcome.item, true);
    if (!outcome.item && mustExist) return counted(undefined, false);
  }
  throw new Error(`A request could not be counted in ${maxAttempts} attempts`);
};
