import { createHash } from 'node:crypto';
import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import type { ClickMessage } from './click-message.ts';
import { clicksOfSourceInMinute } from './clicks.ts';

/** Counted visits, stored for each source and hour, with how many there were in each minute. docs/behavior.md#what-is-counted-as-a-click */

/** Keeps an item below 1 KB, one write unit. A full item does not change any more; the next one has a higher number. */
const maxVisitsOfItem = 48;

const keptSeconds = 24 * 60 * 60;

export const StoredVisits = z
  .object({ count: z.number(), visits: z.set(z.string()) })
  // The number of visits in a minute, such as `m07`.
  .catchall(z.unknown());

export interface Visit {
  readonly click: ClickMessage;
  /** The hour and the source. */
  readonly hour: string;
  /** A short hash of link and visitor. */
  readonly name: string;
  readonly minute: string;
}

export const visitOf = (click: ClickMessage): Visit => {
  const { at, linkId, visitor, source = visitor } = click;
  return {
    click,
    hour: `${at.slice(0, 13)}#${source}`,
    name: createHash('sha256').update(`${linkId} ${visitor}`).digest('base64url').slice(0, 8),
    minute: `m${at.slice(14, 16)}`,
  };
};

/** The visits of a source and hour: those that were read and those to be written. */
class SourceHour {
  readonly visits = new Set<string>();
  readonly minutes = new Map<string, number>();
  /** The number of the last item, and how many visits it has. */
  item = 0;
  count = 0;
  /** How many visits will be added to the last item. */
  admitted = 0;

  add(stored: z.infer<typeof StoredVisits>): void {
    for (const name of stored.visits) this.visits.add(name);
    for (const [name, value] of Object.entries(stored))
      if (/^m\d\d$/.test(name)) this.minutes.set(name, (this.minutes.get(name) ?? 0) + Number(value));
    this.count = stored.count;
  }
}

export type SourceHours = ReadonlyMap<string, SourceHour>;

const keyOf = (programId: string, hour: string, item: number) => ({
  // The first character of the hash: no partition has all visits of a program.
  pk: partition(programId, 'VISIT', hour.slice(14, 15)),
  sk: `${hour}#${item}`,
});

/** One read unit for each source and hour, or one for every 48 of its visits. */
export const readSourceHours = async (programId: string, visits: readonly Visit[]): Promise<SourceHours> => {
  const hours = new Map(visits.map(({ hour }) => [hour, new SourceHour()]));
  let open = [...hours];
  while (open.length > 0) {
    const keys = open.map(([hour, { item }]) => keyOf(programId, hour, item));
    const items = await batchGetItems(deployedName('traffic'), keys);
    const found = new Map(items.map((item) => [item.sk, StoredVisits.parse(item)]));
    open = open.filter(([hour, known]) => {
      known.count = 0;
      const stored = found.get(`${hour}#${known.item}`);
      if (stored) known.add(stored);
      const isFull = known.count >= maxVisitsOfItem;
      if (isFull) known.item += 1;
      return isFull;
    });
  }
  return hours;
};

/** The visits that count, and those that may count in a later item. The rest were counted before or are over the limit. */
export const admit = (hours: SourceHours, visits: readonly Visit[]): { admitted: Visit[]; later: Visit[] } => {
  const admitted: Visit[] = [];
  const later: Visit[] = [];
  for (const visit of visits) {
    const known = hours.get(visit.hour);
    const ofMinute = known?.minutes.get(visit.minute) ?? 0;
    if (!known || known.visits.has(visit.name) || ofMinute >= clicksOfSourceInMinute) continue;
    if (known.count + known.admitted >= maxVisitsOfItem) {
      later.push(visit);
      continue;
    }
    known.visits.add(visit.name);
    known.minutes.set(visit.minute, ofMinute + 1);
    known.admitted += 1;
    admitted.push(visit);
  }
  return { admitted, later };
};

const write = (programId: string, [hour, known]: [string, SourceHour], visits: readonly Visit[], now: Date): Write => {
  const minutes = [...Map.groupBy(visits, ({ minute }) => minute)];
  return {
    Update: {
      TableName: deployedName('traffic'),
      Key: keyOf(programId, hour, known.item),
      UpdateExpression: `SET #ttl = :ttl ADD #count :n, visits :visits${minutes.map((_, at) => `, #m${at} :m${at}`).join('')}`,
      // Every write increments the count, so an equal count means no concurrent write.
      ConditionExpression: known.count === 0 ? 'attribute_not_exists(pk)' : '#count = :count',
      ExpressionAttributeNames: {
        '#ttl': 'ttl',
        '#count': 'count',
        ...Object.fromEntries(minutes.map(([minute], at) => [`#m${at}`, minute])),
      },
      ExpressionAttributeValues: {
        ':ttl': Math.ceil(now.getTime() / 1000) + keptSeconds,
        ':n': visits.length,
        ':visits': new Set(visits.map(({ name }) => name)),
        ...(known.count > 0 && { ':count': known.count }),
        ...Object.fromEntries(minutes.map(([, some], at) => [`:m${at}`, some.length])),
      },
    },
    refusal: () => new ConcurrentModificationError('A source was counted by another batch'),
  };
};

export const visitWrites = (programId: string, hours: SourceHours, visits: readonly Visit[], now: Date): Write[] =>
  [...Map.groupBy(visits, ({ hour }) => hour)].flatMap(([hour, own]) => {
    const known = hours.get(hour);
    return known ? [write(programId, [hour, known], own, now)] : [];
  });

/** Call after the writes: the next transaction may add to the same source and hour. */
export const addWritten = (hours: SourceHours, visits: readonly Visit[]): void => {
  for (const { hour } of visits) {
    const known = hours.get(hour);
    if (known) known.count += 1;
  }
};
