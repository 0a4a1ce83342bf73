import { queryAllItems } from '../../platform/table/items.ts';
import type { StoredRecord } from '../../platform/table/keys.ts';
import { type PartitionKey, partition } from '../../platform/table/partition.ts';
import type { Person } from './person.ts';
import type { PersonalKind } from './personal-fields.ts';
import { foundIn, ofAffiliate, ofCode, ofLink, ofReferral, ofSale, type Personal, remember } from './personal-kinds.ts';

interface FoundRecord {
  type: PersonalKind;
  /** The last state of a deleted record, which is kept for its events. */
  isDeleted: boolean;
  record: object;
}

export interface FoundPerson {
  /** False where the time was over before all was read. */
  isComplete: boolean;
  records: FoundRecord[];
  events: object[];
}

interface Options {
  /** Of the body of an event, which is in a layer above the domain. */
  isEventAbout: (person: Person, body: string) => boolean;
  isOver: () => boolean;
}

class TimeIsOver extends Error {}

/** What nobody but this service has a use for. */
const technical: readonly string[] = ['version', 'searchWords', 'contentHash', 'inStatistics', 'day'];

const shown = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !technical.includes(name)));

async function* itemsOf(table: 'records' | 'traffic', pk: PartitionKey, { isOver }: Options) {
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
  for await (const item of queryAllItems(table, query)) {
    if (isOver()) throw new TimeIsOver();
    yield item;
  }
}

async function* ownRecords<Stored extends StoredRecord>(
  programId: string,
  personal: Personal<Stored>,
  person: Person,
  options: Options,
): AsyncGenerator<FoundRecord> {
  const { kind, store, isOwn } = personal;
  for (const [isDeleted, pk] of [
    [false, partition(programId, kind)],
    [true, partition(programId, 'TOMBSTONE', kind)],
  ] as const)
    for await (const item of itemsOf('records', pk, options)) {
      const { data: record } = store.schema.safeParse(item);
      if (!record || !isOwn(record, person)) continue;
      remember(person, foundIn(personal, record, person));
      yield { type: kind, isDeleted, record: shown(record) };
    }
}

async function* ofPerson(programId: string, person: Person, options: Options): AsyncGenerator<FoundRecord> {
  yield* ownRecords(programId, ofAffiliate, person, options);
  yield* ownRecords(programId, ofReferral, person, options);
  yield* ownRecords(programId, ofSale, person, options);
}

/**
 * All that a program keeps about the person with that email, in its canonical form: what an erasure would erase of records and events. Reads the
 * program, until `isOver`. docs/behavior.md#what-is-known-of-a-person
 */
export const findPerson = async (programId: string, email: string, options: Options): Promise<FoundPerson> => {
  const person: Person = { erasureId: '', email, ids: new Set(), customerIds: new Set() };
  const found: FoundPerson = { isComplete: false, records: [], events: [] };
  try {
    let known: number;
    do {
      known = person.customerIds.size;
      found.records = [];
      for await (const record of ofPerson(programId, person, options)) found.records.push(record);
    } while (person.customerIds.size > known);
    for await (const link of ownRecords(programId, ofLink, person, options)) found.records.push(link);
    for await (const code of ownRecords(programId, ofCode, person, options)) found.records.push(code);
    for await (const { body } of itemsOf('traffic', partition(programId, 'EVENT'), options))
      if (options.isEventAbout(person, String(body))) found.events.push(JSON.parse(String(body)));
    found.isComplete = true;
  } catch (error) {
    if (!(error instanceof TimeIsOver)) throw error;
  }
  return found;
};

/** The file that a person may ask for. Sums are texts, because they may be larger than numbers of JSON can be. */
export const shownPerson = (email: string, { isComplete, records, events }: FoundPerson, now: Date): string =>
  JSON.stringify(
    {
      email,
      exportedAt: now.toISOString(),
      isComplete,
      records: records.map(({ record, ...found }) => ({ ...found, ...record })),
      events,
    },
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
