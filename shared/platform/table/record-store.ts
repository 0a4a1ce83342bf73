import { isDeepStrictEqual } from 'node:util';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { batchGet } from './batch-get.ts';
import { deployedName, documents, type TableName } from './client.ts';
import { Page, type PageRequest } from './page.ts';
import { type Kind, type PartitionKey, partition } from './partition.ts';
import { recordIdEdges } from './record-id.ts';
import { refuseLargeRecord } from './record-size.ts';
import type { Write } from './transaction.ts';

/** `version` rises with each edit, not with counters and totals. */
export interface StoredRecord {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
}

type IndexName = 'GSI1' | 'GSI2' | 'GSI3' | 'GSI4' | 'GSI5' | 'GSI6' | 'GSI7';

export interface IndexEntry {
  index: IndexName;
  parts: readonly string[];
}

/** An item of its own, written together with the record. */
export interface UniqueValue {
  value: string;
  refusal: () => Error;
}
type NamedUniqueValue = UniqueValue & { name: string };

interface RecordStoreDefinition<Stored extends StoredRecord, OwnKind extends Kind, UniqueName extends string> {
  table: TableName;
  kind: OwnKind;
  schema: z.ZodType<Stored>;
  indexes?: (record: Stored) => readonly IndexEntry[];
  uniques?: { readonly [Name in UniqueName]: (record: Stored) => UniqueValue | undefined };
  /** Map attributes written entry by entry, each with its maximum of entries; no edit. */
  maps?: Readonly<Record<string, number>>;
  /** How ids begin with their time; UUIDv7 by default. */
  idEdges?: { lowest: (milliseconds: number) => string; highest: (milliseconds: number) => string };
}

/** Thrown if a record changed or went between read and write; the caller reads again. */
export class RecordChanged extends Error {
  override name = 'RecordChanged';
}

/** A page that reads this much to find little ends early. */
const mostExamined = 1000;
/** Later reads look for few among many. */
const furtherChunk = 100;

const indexAttribute = (index: IndexName): string => `${index.toLowerCase()}pk`;

const mostAttempts = 12;

/** Longer than any cascade and any webhook retry. */
const tombstoneSeconds = 35 * 24 * 60 * 60;

type Item = Record<string, unknown>;

const addedTo = (before: unknown, after: unknown): [name: string, value: unknown][] => {
  const known = new Set(Object.keys(before ?? {}));
  return Object.entries(after ?? {}).filter(([name]) => !known.has(name));
};

const attributesOf = (record: object): Item => Object.fromEntries(Object.entries(record));

/** Reads are parsed. Writes are conditional items, so that one transaction can join several kinds. */
export const recordStore = <
  Stored extends StoredRecord,
  const OwnKind extends Kind = Kind,
  UniqueName extends string = never,
>(
  definition: RecordStoreDefinition<Stored, OwnKind, UniqueName>,
) => {
  const { table, kind, schema, indexes = () => [], maps = {}, idEdges = recordIdEdges } = definition;
  const uniqueValues = Object.entries<(record: Stored) => UniqueValue | undefined>(definition.uniques ?? {});
  const uniques = (record: Stored): NamedUniqueValue[] =>
    uniqueValues.flatMap(([name, of]) => {
      const unique = of(record);
      return unique ? { name, ...unique } : [];
    });
  const TableName = () => deployedName(table);
  const room = (attribute: string, entry: string) => `(attribute_exists(${entry}) OR size(${attribute}) < :most)`;
  const mostOf = (attribute: string): number => maps[attribute] ?? Number.MAX_SAFE_INTEGER;
  const keyOf = (programId: string, id: string) => ({ pk: partition(programId, kind), sk: id });
  const tombstoneKey = (programId: string, id: string) => ({ pk: partition(programId, 'TOMBSTONE', kind), sk: id });
  const uniqueKey = (programId: string, unique: Pick<NamedUniqueValue, 'name' | 'value'>) => ({
    pk: partition(programId, kind, unique.name),
    sk: unique.value,
  });
  const indexAttributes = (programId: string, record: Stored): Item =>
    Object.fromEntries(
      indexes(record).map(({ index, parts }) => [indexAttribute(index), partition(programId, kind, ...parts)]),
    );

  const get = async (programId: string, id: string): Promise<Stored | undefined> => {
    const answer = await documents.send(
      new GetCommand({ TableName: TableName(), Key: keyOf(programId, id), ConsistentRead: true }),
    );
    return answer.Item && schema.parse(answer.Item);
  };

  const getByKeys = async (keys: readonly Item[]): Promise<Map<string, Stored>> => {
    const records = (await batchGet(TableName(), keys)).map((item) => schema.parse(item));
    return new Map(records.map((record) => [record.id, record]));
  };

  const getMany = (programId: string, ids: Iterable<string>): Promise<Map<string, Stored>> =>
    getByKeys([...new Set(ids)].map((id) => keyOf(programId, id)));

  /** Deleted records come from their tombstones. */
  const getManyEvenDeleted = async (programId: string, ids: Iterable<string>): Promise<Map<string, Stored>> => {
    const wanted = [...new Set(ids)];
    const found = await getMany(programId, wanted);
    const deleted = await getByKeys(wanted.filter((id) => !found.has(id)).map((id) => tombstoneKey(programId, id)));
    return new Map([...found, ...deleted]);
  };

  const idOf = async (programId: string, name: UniqueName, value: string): Promise<string | undefined> => {
    const answer = await documents.send(
      new GetCommand({ TableName: TableName(), Key: uniqueKey(programId, { name, value }), ConsistentRead: true }),
    );
    const id: unknown = answer.Item?.id;
    return typeof id === 'string' ? id : undefined;
  };

  /** Two round trips. */
  const find = async (programId: string, name: UniqueName, value: string): Promise<Stored | undefined> => {
    const id = await idOf(programId, name, value);
    return id === undefined ? undefined : get(programId, id);
  };

  const newestIds = async (programId: string, entry: IndexEntry, count: number): Promise<string[]> => {
    const answer = await documents.send(
      new QueryCommand({
        TableName: TableName(),
        IndexName: entry.index,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': indexAttribute(entry.index) },
        ExpressionAttributeValues: { ':pk': partition(programId, kind, ...entry.parts) },
        ScanIndexForward: false,
        Limit: count,
      }),
    );
    return (answer.Items ?? []).map((item) => String(item.sk));
  };

  interface Chunk {
    records: { record: Stored; position: string }[];
    exhausted: boolean;
    lastPosition: string | undefined;
  }

  const readChunk = async (
    programId: string,
    entry: IndexEntry | undefined,
    request: PageRequest,
    after: string | undefined,
    count: number,
  ): Promise<Chunk> => {
    const attribute = entry ? indexAttribute(entry.index) : 'pk';
    const key: PartitionKey = entry ? partition(programId, kind, ...entry.parts) : partition(programId, kind);
    const low = request.createdAfter ? idEdges.lowest(Date.parse(request.createdAfter)) : idEdges.lowest(0);
    const high = idEdges.highest(request.createdBefore ? Date.parse(request.createdBefore) - 1 : 0xffffffffffff);
    if (low > high) return { records: [], exhausted: true, lastPosition: after };
    const answer = await documents.send(
      new QueryCommand({
        TableName: TableName(),
        ...(entry ? { IndexName: entry.index } : { ConsistentRead: true }),
        KeyConditionExpression: '#pk = :pk AND sk BETWEEN :low AND :high',
        ExpressionAttributeNames: { '#pk': attribute },
        ExpressionAttributeValues: { ':pk': key, ':low': low, ':high': high },
        ScanIndexForward: false,
        Limit: count,
        ...(after && { ExclusiveStartKey: { ...keyOf(programId, after), ...(entry && { [attribute]: key }) } }),
      }),
    );
    const items = answer.Items ?? [];
    const positions = items.map((item) => String(item.sk));
    let records: Chunk['records'];
    if (entry) {
      const byId = await getMany(programId, positions);
      records = positions.flatMap((position) => {
        const record = byId.get(position);
        return record ? [{ record, position }] : [];
      });
    } else {
      records = items.map((item, at) => ({ record: schema.parse(item), position: positions[at] ?? '' }));
    }
    return { records, exhausted: !answer.LastEvaluatedKey, lastPosition: positions.at(-1) ?? after };
  };

  /** Newest first. `keep` filters what the index cannot; a page that reads much to find little ends early. */
  const page = async (
    programId: string,
    request: PageRequest,
    entry?: IndexEntry,
    keep: (record: Stored) => boolean = () => true,
  ): Promise<Page<Stored>> => {
    const { limit, updatedAfter } = request;
    const kept = (record: Stored) => keep(record) && (!updatedAfter || record.updatedAt > updatedAfter);
    const found: { item: Stored; position: string }[] = [];
    let after = request.after;
    let examined = 0;
    while (examined < mostExamined) {
      const count = examined === 0 ? limit + 1 : Math.max(limit + 1, furtherChunk);
      const chunk = await readChunk(programId, entry, request, after, count);
      for (const { record, position } of chunk.records) {
        if (!kept(record)) continue;
        if (found.length === limit) return new Page(found, found.at(-1)?.position);
        found.push({ item: record, position });
      }
      if (chunk.exhausted) return new Page(found, undefined);
      after = chunk.lastPosition;
      examined += count;
    }
    return new Page(found, after);
  };

  const put = (programId: string, record: Stored): Write => ({
    Put: {
      TableName: TableName(),
      Item: { ...keyOf(programId, record.id), ...indexAttributes(programId, record), kind, ...record },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    refusal: () => new RecordChanged(`${kind} ${record.id} exists already`),
  });

  const claim = (programId: string, id: string, unique: NamedUniqueValue): Write => ({
    Put: {
      TableName: TableName(),
      Item: { ...uniqueKey(programId, unique), id },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    refusal: unique.refusal,
  });

  const release = (programId: string, id: string, unique: NamedUniqueValue): Write => ({
    Delete: {
      TableName: TableName(),
      Key: uniqueKey(programId, unique),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': id },
    },
    refusal: () => new RecordChanged(`${unique.name} of ${kind} ${id} changed`),
  });

  const sameUnique = (one: NamedUniqueValue, other: NamedUniqueValue) =>
    one.name === other.name && one.value === other.value;

  const valuesBeginningWith = async (
    programId: string,
    name: UniqueName,
    prefix: string,
    count: number,
    after?: string,
  ): Promise<{ value: string; id: string }[]> => {
    const { pk } = uniqueKey(programId, { name, value: prefix });
    const answer = await documents.send(
      new QueryCommand({
        TableName: TableName(),
        ConsistentRead: true,
        KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
        Limit: count,
        ...(after && { ExclusiveStartKey: { pk, sk: after } }),
      }),
    );
    return (answer.Items ?? []).map((item) => ({ value: String(item.sk), id: String(item.id) }));
  };

  const creation = (programId: string, record: Stored): Write[] => {
    if (table === 'records') refuseLargeRecord(record);
    return [put(programId, record), ...uniques(record).map((unique) => claim(programId, record.id, unique))];
  };

  /** Fails if the record was edited since. Without `isEdit` version and ETag stay; `still` names unchanged fields. */
  const change = (
    programId: string,
    before: Stored,
    after: Stored,
    { isEdit = true, still = [] }: { isEdit?: boolean; still?: readonly (keyof Stored & string)[] } = {},
  ): Write[] => {
    if (table === 'records' && isEdit) refuseLargeRecord(after);
    const next: Item = {
      ...attributesOf(after),
      ...indexAttributes(programId, after),
      version: isEdit ? before.version + 1 : before.version,
    };
    const previous: Item = { ...attributesOf(before), ...indexAttributes(programId, before) };
    const names: Record<string, string> = { '#version': 'version' };
    const values: Item = { ':before': before.version };
    const sets: string[] = [];
    const removes: string[] = [];
    const conditions = ['#version = :before'];
    for (const name of still) {
      names[`#${name}`] = name;
      values[`:still_${name}`] = previous[name];
      conditions.push(`#${name} = :still_${name}`);
    }
    for (const name of new Set([...Object.keys(previous), ...Object.keys(next)])) {
      if (isDeepStrictEqual(previous[name], next[name])) continue;
      names[`#${name}`] = name;
      if (name in maps) {
        const [added, another] = addedTo(previous[name], next[name]);
        if (!added || another) throw new Error(`A change adds one entry to ${name}, no more and no less`);
        Object.assign(names, { '#mapEntry': added[0] });
        Object.assign(values, { ':mapEntry': added[1], ':most': mostOf(name) });
        sets.push(`#${name}.#mapEntry = :mapEntry`);
        conditions.push(room(`#${name}`, `#${name}.#mapEntry`));
      } else if (next[name] === undefined) removes.push(`#${name}`);
      else {
        values[`:${name}`] = next[name];
        sets.push(`#${name} = :${name}`);
      }
    }
    const claimed = uniques(after).filter((one) => !uniques(before).some((other) => sameUnique(one, other)));
    const released = uniques(before).filter((one) => !uniques(after).some((other) => sameUnique(one, other)));
    return [
      {
        Update: {
          TableName: TableName(),
          Key: keyOf(programId, before.id),
          UpdateExpression: `SET ${sets.join(', ')}${removes.length ? ` REMOVE ${removes.join(', ')}` : ''}`,
          ConditionExpression: conditions.join(' AND '),
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: values,
        },
        refusal: () => new RecordChanged(`${kind} ${before.id} changed`),
      },
      ...claimed.map((unique) => claim(programId, before.id, unique)),
      ...released.map((unique) => release(programId, before.id, unique)),
    ];
  };

  /** Fails if the record changed since it was read. */
  const removal = (programId: string, record: Stored): Write[] => [
    {
      Delete: {
        TableName: TableName(),
        Key: keyOf(programId, record.id),
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': record.version },
      },
      refusal: () => new RecordChanged(`${kind} ${record.id} changed`),
    },
    ...uniques(record).map((unique) => release(programId, record.id, unique)),
  ];

  /** For the events of the deletion's cascade. */
  const tombstone = (programId: string, record: Stored, now: Date): Write => ({
    Put: {
      TableName: TableName(),
      Item: {
        ...record,
        ...tombstoneKey(programId, record.id),
        ttl: Math.ceil(now.getTime() / 1000) + tombstoneSeconds,
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    refusal: () => new RecordChanged(`${kind} ${record.id} was deleted`),
  });

  /** Not an edit. */
  const addition = (programId: string, id: string, amounts: Readonly<Record<string, number | bigint>>): Write => {
    const names = Object.keys(amounts);
    return {
      Update: {
        TableName: TableName(),
        Key: keyOf(programId, id),
        UpdateExpression: `ADD ${names.map((_, at) => `#n${at} :v${at}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
        ExpressionAttributeValues: Object.fromEntries(names.map((name, at) => [`:v${at}`, amounts[name]])),
      },
      refusal: () => new RecordChanged(`${kind} ${id} changed`),
    };
  };

  /** A condition check on another record of the transaction: it exists, with these values. */
  const presence = (programId: string, id: string, refusal: () => Error, still: Partial<Stored> = {}): Write => {
    const expected = Object.entries(still);
    return {
      ConditionCheck: {
        TableName: TableName(),
        Key: keyOf(programId, id),
        ConditionExpression: ['attribute_exists(pk)', ...expected.map((_, at) => `#n${at} = :v${at}`)].join(' AND '),
        ...(expected.length > 0 && {
          ExpressionAttributeNames: Object.fromEntries(expected.map(([name], at) => [`#n${at}`, name])),
          ExpressionAttributeValues: Object.fromEntries(expected.map(([, value], at) => [`:v${at}`, value])),
        }),
      },
      refusal,
    };
  };

  const mapEntry = (programId: string, id: string, attribute: string, name: string, value: unknown): Write => ({
    Update: {
      TableName: TableName(),
      Key: keyOf(programId, id),
      UpdateExpression: 'SET #attribute.#name = :value',
      ConditionExpression: `attribute_exists(pk) AND ${room('#attribute', '#attribute.#name')}`,
      ExpressionAttributeNames: { '#attribute': attribute, '#name': name },
      ExpressionAttributeValues: { ':value': value, ':most': mostOf(attribute) },
    },
    refusal: () => new RecordChanged(`${kind} ${id} is gone or full`),
  });

  const mapEntryRemoval = (programId: string, id: string, attribute: string, name: string): Write => ({
    Update: {
      TableName: TableName(),
      Key: keyOf(programId, id),
      UpdateExpression: 'REMOVE #attribute.#name',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#attribute': attribute, '#name': name },
    },
    refusal: () => new RecordChanged(`${kind} ${id} is gone`),
  });

  return {
    kind,
    uniqueNames: uniqueValues.map(([name]) => name),
    get,
    getMany,
    getManyEvenDeleted,
    find,
    newestIds,
    page,
    valuesBeginningWith,
    creation,
    change,
    removal,
    tombstone,
    addition,
    presence,
    mapEntry,
    mapEntryRemoval,
  };
};

export type RecordStore<Stored extends StoredRecord> = ReturnType<typeof recordStore<Stored>>;

/** 412 if the caller accepts other versions. docs/behavior.md#etags */
export const expectVersion = (record: StoredRecord, expectedVersions: readonly number[] | undefined): void => {
  if (expectedVersions && !expectedVersions.includes(record.version)) throw new ApiError('precondition_failed');
};

/** Retries while what was read is changed by others. */
export const whileChanging = async <Result>(action: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof RecordChanged)) throw error;
      if (attempt === mostAttempts)
        throw new ApiError('conflict', 'Others keep changing this record. Please try again.', { cause: error });
    }
  }
};
