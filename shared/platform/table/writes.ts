import { isDeepStrictEqual } from 'node:util';
import { countedKinds } from '../../contract/needs.ts';
import { currentWriter } from './actor.ts';
import { currentImportMark, importedAttribute } from './import-mark.ts';
import {
  ConcurrentModificationError,
  type Item,
  indexAttributes,
  keyOf,
  type NamedUniqueValue,
  type RecordDefinition,
  type StoredRecord,
  tableOf,
  tombstoneKey,
  uniqueKey,
} from './keys.ts';
import type { Kind } from './partition.ts';
import { quietAttribute, quietMark } from './quiet-writes.ts';
import { refuseLargeRecord } from './record-size.ts';
import type { Write } from './transaction.ts';
import { UpdateParts } from './update-parts.ts';

type Definition<Stored extends StoredRecord> = RecordDefinition<Stored>;

/** Longer than any cascade and any webhook retry. */
const tombstoneSeconds = 35 * 24 * 60 * 60;

/** Longer than backups are kept: a restore brings back nothing that was revoked since. docs/operations.md#restore */
const revocationSeconds = 400 * 24 * 60 * 60;

const attributesOf = (record: object): Item => Object.fromEntries(Object.entries(record));

/** Attributes of the item alone, from which events and the audit log get their actor. */
const changedBy = (): Item => {
  const { by, req } = currentWriter() ?? {};
  const said = { by, req, [importedAttribute]: currentImportMark() };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
};

const claim = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  unique: NamedUniqueValue,
  beside: Item = {},
): Write => ({
  Put: {
    TableName: tableOf(definition),
    Item: { ...uniqueKey(definition, programId, unique), ...unique.refs, ...unique.copies, ...beside, id },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: unique.refusal,
  readAfterConflict: true,
});

/** Sets all copies, because items of earlier versions may have none. */
const copy = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  { copies = {}, ...unique }: NamedUniqueValue,
): Write => {
  const entries = Object.entries(copies);
  return {
    Update: {
      TableName: tableOf(definition),
      Key: uniqueKey(definition, programId, unique),
      UpdateExpression: `SET ${entries.map((_, at) => `#n${at} = :v${at}`).join(', ')}`,
      ConditionExpression: 'id = :id',
      ExpressionAttributeNames: Object.fromEntries(entries.map(([name], at) => [`#n${at}`, name])),
      ExpressionAttributeValues: {
        ':id': id,
        ...Object.fromEntries(entries.map(([, value], at) => [`:v${at}`, value])),
      },
    },
    refusal: () => new ConcurrentModificationError(`${unique.name} of ${definition.kind} ${id} changed`),
  };
};

const release = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  unique: NamedUniqueValue,
): Write => ({
  Delete: {
    TableName: tableOf(definition),
    Key: uniqueKey(definition, programId, unique),
    ConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': id },
  },
  refusal: () => new ConcurrentModificationError(`${unique.name} of ${definition.kind} ${id} changed`),
});

const countedNames: readonly string[] = countedKinds;
const isCountedKind = (kind: Kind): boolean => countedNames.includes(kind);

/** `besideUniques` are further fields of the items of unique values, by the name of the unique value. */
export const createWrites = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  record: Stored,
  besideUniques: Readonly<Record<string, Item | undefined>> = {},
): Write[] => {
  const { table, kind, uniques, isUnbounded } = definition;
  if (table === 'records' && !isUnbounded) refuseLargeRecord(record);
  const Item = {
    ...keyOf(definition, programId, record.id),
    ...indexAttributes(definition, programId, record),
    kind,
    ...record,
    ...(definition.keepsActor && changedBy()),
    [quietAttribute]: quietMark(),
  };
  return [
    {
      Put: { TableName: tableOf(definition), Item, ConditionExpression: 'attribute_not_exists(pk)' },
      refusal: () => new ConcurrentModificationError(`${kind} ${record.id} exists already`),
      ...(isCountedKind(kind) && { counts: 1 }),
    },
    ...uniques(record).map((unique) => claim(definition, programId, record.id, unique, besideUniques[unique.name])),
  ];
};

export const maxEntries = ({ maps }: { maps: Readonly<Record<string, number>> }, attribute: string): number =>
  maps[attribute] ?? Number.MAX_SAFE_INTEGER;

const isSame = (one: NamedUniqueValue, other: NamedUniqueValue) => one.name === other.name && one.value === other.value;

const uniquesBeyond = (some: readonly NamedUniqueValue[], others: readonly NamedUniqueValue[]): NamedUniqueValue[] =>
  some.filter((one) => !others.some((other) => isSame(one, other)));

const withOtherCopies = (some: readonly NamedUniqueValue[], before: readonly NamedUniqueValue[]): NamedUniqueValue[] =>
  some.filter((one) => before.some((other) => isSame(one, other) && !isDeepStrictEqual(one.copies, other.copies)));

export interface Edit<Stored> {
  before: Stored;
  after: Stored;
  /** If false, version and ETag stay. */
  isEdit?: boolean;
  /** Whether the item says who did what is no edit, too. */
  saysWho?: boolean;
  still?: readonly (keyof Stored & string)[];
}

/** Fails if the record was edited since. */
export const updateWrites = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  { before, after, isEdit = true, saysWho = false, still = [] }: Edit<Stored>,
): Write[] => {
  const { table, kind, uniques, maps } = definition;
  if (table === 'records' && isEdit) refuseLargeRecord(after);
  const version = isEdit ? before.version + 1 : before.version;
  const next: Item = { ...attributesOf(after), ...indexAttributes(definition, programId, after), version };
  const previous: Item = { ...attributesOf(before), ...indexAttributes(definition, programId, before) };
  const parts = new UpdateParts(before.version);
  for (const name of still) parts.expect(name, previous[name]);
  for (const name of new Set([...Object.keys(previous), ...Object.keys(next)])) {
    if (isDeepStrictEqual(previous[name], next[name])) continue;
    if (name in maps) {
      parts.addEntry(name, { before: previous[name], after: next[name], max: maxEntries(definition, name) });
    } else parts.set(name, next[name]);
  }
  const mark = currentImportMark();
  if (definition.keepsActor && (isEdit || saysWho)) {
    parts.set('by', currentWriter()?.by);
    parts.set('req', currentWriter()?.req);
    if (mark !== undefined) parts.set(importedAttribute, mark);
  }
  const quiet = isEdit ? quietMark() : undefined;
  if (quiet !== undefined) parts.set(quietAttribute, quiet);
  const claimed = uniquesBeyond(uniques(after), uniques(before));
  const copied = withOtherCopies(uniques(after), uniques(before));
  const released = uniquesBeyond(uniques(before), uniques(after));
  return [
    {
      Update: { TableName: tableOf(definition), Key: keyOf(definition, programId, before.id), ...parts.expressions },
      refusal: () => new ConcurrentModificationError(`${kind} ${before.id} changed`),
    },
    ...claimed.map((unique) => claim(definition, programId, before.id, unique)),
    ...copied.map((unique) => copy(definition, programId, before.id, unique)),
    ...released.map((unique) => release(definition, programId, before.id, unique)),
  ];
};

/** Fails if the record changed since it was read. */
export const deleteWrites = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  record: Stored,
): Write[] => [
  {
    Delete: {
      TableName: tableOf(definition),
      Key: keyOf(definition, programId, record.id),
      ConditionExpression: '#version = :version',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':version': record.version },
    },
    refusal: () => new ConcurrentModificationError(`${definition.kind} ${record.id} changed`),
    ...(isCountedKind(definition.kind) && { counts: -1 }),
  },
  ...definition.uniques(record).map((unique) => release(definition, programId, record.id, unique)),
];

const deletionOf = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  now: Date,
  keptSeconds = tombstoneSeconds,
): Item => ({
  ...tombstoneKey(definition, programId, id),
  deletedAt: now.toISOString(),
  ...changedBy(),
  ttl: Math.ceil(now.getTime() / 1000) + keptSeconds,
});

/** For the events of the deletion's cascade. */
export const tombstoneWrite = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  record: Stored,
  now: Date,
): Write => ({
  Put: {
    TableName: tableOf(definition),
    Item: { ...record, ...deletionOf(definition, programId, record.id, now) },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`${definition.kind} ${record.id} was deleted`),
});

/** A tombstone without the record. Beside the record's deletion in one transaction, which has the condition. */
export const deletionWrite = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  now: Date,
): Write => ({
  Put: { TableName: tableOf(definition), Item: deletionOf(definition, programId, id, now) },
  refusal: () => new Error('unconditional'),
});

/** A tombstone of what gave access, for restores. Beside the record's deletion in one transaction, as `deletionWrite`. */
export const revocationWrite = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  now: Date,
): Write => ({
  Put: { TableName: tableOf(definition), Item: deletionOf(definition, programId, id, now, revocationSeconds) },
  refusal: () => new Error('unconditional'),
});

/** Not an edit. */
export const incrementWrite = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  amounts: Readonly<Record<string, number | bigint>>,
): Write => {
  const names = Object.keys(amounts);
  return {
    Update: {
      TableName: tableOf(definition),
      Key: keyOf(definition, programId, id),
      UpdateExpression: `ADD ${names.map((_, at) => `#n${at} :v${at}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name, at) => [`:v${at}`, amounts[name]])),
    },
    refusal: () => new ConcurrentModificationError(`${definition.kind} ${id} changed`),
  };
};

/** A condition check on another record of the transaction: it exists, with these values. */
export const existsCheck = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  { refusal, still = {} }: { refusal: () => Error; still?: Partial<Stored> },
): Write => {
  const expected = Object.entries(still);
  return {
    ConditionCheck: {
      TableName: tableOf(definition),
      Key: keyOf(definition, programId, id),
      ConditionExpression: ['attribute_exists(pk)', ...expected.map((_, at) => `#n${at} = :v${at}`)].join(' AND '),
      ...(expected.length > 0 && {
        ExpressionAttributeNames: Object.fromEntries(expected.map(([name], at) => [`#n${at}`, name])),
        ExpressionAttributeValues: Object.fromEntries(expected.map(([, value], at) => [`:v${at}`, value])),
      }),
    },
    refusal,
  };
};
