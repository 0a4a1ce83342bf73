import * as z from 'zod';
import { deployedName } from './deployed-name.ts';
import { batchGetItems, getItem, queryItems } from './items.ts';
import {
  type IndexEntry,
  type Item,
  indexAttribute,
  indexKey,
  keyOf,
  type RecordDefinition,
  type StoredRecord,
  tableOf,
  tombstoneKey,
  uniqueKey,
} from './keys.ts';
import { partition } from './partition.ts';

type Definition<Stored extends StoredRecord> = RecordDefinition<Stored>;

export const readRecord = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
): Promise<Stored | undefined> => {
  const item = await getItem(definition.table, keyOf(definition, programId, id));
  return item && definition.schema.parse(item);
};

const readByKeys = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  keys: readonly Item[],
  isConsistent: boolean,
): Promise<Map<string, Stored>> => {
  const records = (await batchGetItems(tableOf(definition), keys, { isConsistent })).map((item) =>
    definition.schema.parse(item),
  );
  return new Map(records.map((record) => [record.id, record]));
};

export const readRecords = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  ids: Iterable<string>,
  isConsistent = true,
): Promise<Map<string, Stored>> =>
  readByKeys(
    definition,
    [...new Set(ids)].map((id) => keyOf(definition, programId, id)),
    isConsistent,
  );

/**
 * Deleted records come from their tombstones: in a second round trip, or `inOneTrip` with the records, for half a read
 * unit more of each.
 */
export const readRecordsEvenDeleted = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  ids: Iterable<string>,
  { inOneTrip = false } = {},
): Promise<Map<string, Stored>> => {
  const wanted = [...new Set(ids)];
  const tombstonesOf = (some: readonly string[], isConsistent: boolean) =>
    readByKeys(
      definition,
      some.map((id) => tombstoneKey(definition, programId, id)),
      isConsistent,
    );
  const [found, early] = await Promise.all([
    readRecords(definition, programId, wanted),
    inOneTrip ? tombstonesOf(wanted, false) : undefined,
  ]);
  const missing = wanted.filter((id) => !found.has(id));
  return new Map([...(early ?? (await tombstonesOf(missing, true))), ...found]);
};

/** Some attributes of records, deleted ones as they last were, in at most two round trips, however large the records are. */
export const readAttributesEvenDeleted = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  ids: Iterable<string>,
  attributes: readonly string[],
): Promise<Map<string, Item>> => {
  const read = async (keys: readonly Item[]): Promise<Map<string, Item>> => {
    const items = await batchGetItems(tableOf(definition), keys, { attributes: ['id', ...attributes].join(', ') });
    return new Map(items.map((item) => [String(item.id), item]));
  };
  const wanted = [...new Set(ids)];
  const found = await read(wanted.map((id) => keyOf(definition, programId, id)));
  const missing = wanted.filter((id) => !found.has(id));
  return new Map([...found, ...(await read(missing.map((id) => tombstoneKey(definition, programId, id))))]);
};

export interface Deletion {
  at: string;
  by: unknown;
  req?: unknown;
}

/** When and by whom records were deleted, by `deletionName`; without those that have no tombstone. */
export const readDeletions = async (programId: string, names: Iterable<string>): Promise<Map<string, Deletion>> => {
  const keys = [...names].map((name) => {
    const [kind = '', id] = name.split('/');
    return { pk: partition(programId, 'TOMBSTONE', kind), sk: id };
  });
  const items = await batchGetItems(deployedName('records'), keys);
  return new Map(
    items.flatMap(({ pk, sk, deletedAt: at, by, req }) =>
      typeof at === 'string' ? [[deletionName(String(pk).split('#').at(-1) ?? '', String(sk)), { at, by, req }]] : [],
    ),
  );
};

export const deletionName = (kind: string, id: string): string => `${kind}/${id}`;

const FoundName = z.object({ id: z.string() }).catchall(z.unknown());

/** The id of a record, with its `refs` as they were when its value was claimed. */
export const findName = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  name: string,
  value: string,
): Promise<z.infer<typeof FoundName> | undefined> => {
  const unique = await getItem(definition.table, uniqueKey(definition, programId, { name, value }));
  return unique && FoundName.parse(unique);
};

/** The ids of the records with these unique values, in their order; undefined where there is none. In calls of a hundred. */
export const findNames = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  named: readonly { name: string; value: string }[],
): Promise<(string | undefined)[]> => {
  const keys = named.map((one) => uniqueKey(definition, programId, one));
  const nameOf = ({ pk, sk }: Record<string, unknown>) => `${pk} ${sk}`;
  const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  const items = await batchGetItems(tableOf(definition), wanted);
  const idOf = new Map(items.map((item) => [nameOf(item), FoundName.parse(item).id]));
  return keys.map((key) => idOf.get(nameOf(key)));
};

export const findRecord = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  name: string,
  value: string,
): Promise<Stored | undefined> => {
  const found = await findName(definition, programId, name, value);
  return found && readRecord(definition, programId, found.id);
};

export const newestIds = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  entry: IndexEntry,
  count: number,
): Promise<string[]> => {
  const { items } = await queryItems(definition.table, {
    IndexName: entry.index,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': indexAttribute(entry.index) },
    ExpressionAttributeValues: { ':pk': indexKey(definition, programId, entry) },
    ScanIndexForward: false,
    Limit: count,
  });
  return items.map((item) => String(item.sk));
};

export const valuesBeginningWith = async <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  range: { name: string; prefix: string; count: number; after?: string | undefined; isDescending?: boolean },
): Promise<{ value: string; id: string }[]> => {
  const { name, prefix, count, after, isDescending = false } = range;
  const { pk } = uniqueKey(definition, programId, { name, value: prefix });
  const { items } = await queryItems(definition.table, {
    ConsistentRead: true,
    KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
    ScanIndexForward: !isDescending,
    Limit: count,
    ...(after && { ExclusiveStartKey: { pk, sk: after } }),
  });
  return items.map((item) => ({ value: String(item.sk), id: String(item.id) }));
};
