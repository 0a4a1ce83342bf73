import * as z from 'zod';
import { deployedName, type TableName } from './deployed-name.ts';
import { type Kind, type PartitionKey, partition } from './partition.ts';

/** `version` rises with each edit, not with counters and totals. */
export const storedFields = { id: z.string(), createdAt: z.string(), updatedAt: z.string(), version: z.number() };

export interface StoredRecord {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export type Item = Record<string, unknown>;

type IndexName = 'GSI1' | 'GSI2' | 'GSI3' | 'GSI4' | 'GSI5' | 'GSI6' | 'GSI7';

export interface IndexEntry {
  index: IndexName;
  parts: readonly string[];
  shared?: string;
}

/** An item of its own, written together with the record. */
export interface UniqueValue {
  value: string;
  refusal: () => Error;
  /** Ids that belong to the record and never change: whoever finds it reads them beside it. */
  refs?: Readonly<Record<string, string>>;
  /** Fields of the record that are copied to the item of the unique value, and updated with the record. */
  copies?: Readonly<Record<string, string | null>>;
}
export type NamedUniqueValue = UniqueValue & { name: string };

export interface RecordDefinition<Stored extends StoredRecord> {
  table: TableName;
  kind: Kind;
  schema: z.ZodType<Stored>;
  indexes: (record: Stored) => readonly IndexEntry[];
  uniques: (record: Stored) => readonly NamedUniqueValue[];
  /** Map attributes written entry by entry, each with its maximum of entries. */
  maps: Readonly<Record<string, number>>;
  /** How ids begin with their time. */
  idEdges: { lowest: (milliseconds: number) => string; highest: (milliseconds: number) => string };
  /** Whether an item says who edited it, for its events. */
  keepsActor?: true;
  /** Whether it may be larger than a record. */
  isUnbounded?: true;
}

/** Thrown if a record changed or went between read and write; the caller reads again. */
export class ConcurrentModificationError extends Error {
  override name = 'ConcurrentModificationError';
}

export type Keyed = Pick<RecordDefinition<never>, 'table' | 'kind'>;

export const tableOf = ({ table }: Keyed): string => deployedName(table);

export const keyOf = ({ kind }: Keyed, programId: string, id: string) => ({ pk: partition(programId, kind), sk: id });

export const tombstoneKey = ({ kind }: Keyed, programId: string, id: string) => ({
  pk: partition(programId, 'TOMBSTONE', kind),
  sk: id,
});

export const uniqueKey = (
  { kind }: Keyed,
  programId: string,
  { name, value }: Pick<NamedUniqueValue, 'name' | 'value'>,
) => ({
  pk: partition(programId, kind, name),
  sk: value,
});

export const indexAttribute = (index: IndexName): string => `${index.toLowerCase()}pk`;

export const indexKey = ({ kind }: Keyed, programId: string, { parts, shared }: IndexEntry): PartitionKey =>
  (shared as PartitionKey | undefined) ?? partition(programId, kind, ...parts);

export const indexAttributes = <Stored extends StoredRecord>(
  definition: RecordDefinition<Stored>,
  programId: string,
  record: Stored,
): Item =>
  Object.fromEntries(
    definition.indexes(record).map((entry) => [indexAttribute(entry.index), indexKey(definition, programId, entry)]),
  );
