import { createHash } from 'node:crypto';
import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import type { ClickMessage } from './click-message.ts';
import { clicksOfSourceInMinute } from './clicks.ts';

/** Who was counted: for each source and hour the visits, and how many of each minute. docs/behavior.md#what-is-counted-as-a-click */

/** So that an item stays below the kilobyte of one write unit. A full one never changes again, and the next one follows it. */
const maxVisitsOfItem = 48;

const keptSeconds = 24 * 60 * 60;

export const StoredVisits = z
  .object({ count: z.number(), visits: z.set(z.string()) })
  // How many of a minute, such as `m07`.
  .catchall(z.unknown());

export interface Visit {
  readonly click: ClickMessage;
  /** The hour and the source. */
  readonly place: string;
  /** Stands for link and visitor within its place. */
  readonly name: string;
  readonly minute: string;
}

export const visitOf = (click: ClickMessage): Visit => {
  const { at, linkId, visitor, source = visitor } = click;
  return {
    click,
    place: `${at.slice(0, 13)}#${source}`,
    name: createHash('sha256').update(`${linkId} ${visitor}`).digest('base64url').slice(0, 8),
    minute: `m${at.slice(14, 16)}`,
  };
};

/** What is known of a source and hour. */
class Place {
  readonly visits = new Set<string>();
  readonly minutes = new Map<string, number>();
  /** The number of the last item, and how many visits it has. */
  item = 0;
  count = 0;
  /** Of the visits that are to be written into the last item. */
  admitted = 0;

  add(stored: z.infer<typeof StoredVisits>): void {
    for (const name of stored.visits) this.visits.add(name);
    for (const [name, value] of Object.entries(stored))
      if (/^m\d\d$/.test(name)) this.minutes.set(name, (this.minutes.get(name) ?? 0) + Number(value));
    this.count = stored.count;
  }
}

export type Places = ReadonlyMap<string, Place>;

const keyOf = (programId: string, place: string, item: number) => ({
  // The first character of the hash: no partition has all visits of a program.
  pk: partition(programId, 'VISIT', place.slice(14, 15)),
  sk: `${place}#${item}`,
});

/** One read unit for each source and hour, or one for every 48 of its visits. */
export const readPlaces = async (programId: string, visits: readonly Visit[]): Promise<Places> => {
  const places = new Map(visits.map(({ place }) => [place, new Place()]));
  let open = [...places];
  while (open.length > 0) {
    const keys = open.map(([place, { item }]) => keyOf(programId, place, item));
    const items = await batchGetItems(deployedName('traffic'), keys);
    const found = new Map(items.map((item) => [item.sk, StoredVisits.parse(item)]));
    open = open.filter(([place, known]) => {
      known.count = 0;
      const stored = found.get(`${place}#${known.item}`);
      if (stored) known.add(stored);
      const isFull = known.count >= maxVisitsOfItem;
      if (isFull) known.item += 1;
      return isFull;
    });
  }
  return places;
};

/** The visits that count, and those that may count after these are written. The rest was counted, or is over the limit. */
export const admit = (places: Places, visits: readonly Visit[]): { admitted: Visit[]; later: Visit[] } => {
  const admitted: Visit[] = [];
  const later: Visit[] = [];
  for (const visit of visits) {
    const known = places.get(visit.place);
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

const write = (programId: string, [place, known]: [string, Place], visits: readonly Visit[], now: Date): Write => {
  const minutes = [...Map.groupBy(visits, ({ minute }) => minute)];
  return {
    Update: {
      TableName: deployedName('traffic'),
      Key: keyOf(programId, place, known.item),
      UpdateExpression: `SET #ttl = :ttl ADD #count :n, visits :visits${minutes.map((_, at) => `, #m${at} :m${at}`).join('')}`,
      // Every change raises it: nothing was counted since it was read.
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

/** One for each source and hour, whatever it is that they visited. */
export const visitWrites = (programId: string, places: Places, visits: readonly Visit[], now: Date): Write[] =>
  [...Map.groupBy(visits, ({ place }) => place)].flatMap(([place, own]) => {
    const known = places.get(place);
    return known ? [write(programId, [place, known], own, now)] : [];
  });

/** After they were written: more of the same places may follow in another transaction. */
export const noteWritten = (places: Places, visits: readonly Visit[]): void => {
  for (const { place } of visits) {
    const known = places.get(place);
    if (known) known.count += 1;
  }
};
