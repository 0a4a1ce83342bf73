import {
  type IndexEntry,
  keyOf,
  type RecordDefinition,
  type StoredRecord,
  type UniqueValue,
  uniqueKey,
} from './keys.ts';
import { deleteMapEntryWrite, type MapEntry, setMapEntryWrite } from './map-entry-writes.ts';
import type { PageRequest } from './page.ts';
import { allRecords, type OnIdsFound, readPage } from './pages.ts';
import type { Kind } from './partition.ts';
import {
  findName,
  findNames,
  findRecord,
  newestIds,
  readAttributesEvenDeleted,
  readRecord,
  readRecords,
  readRecordsEvenDeleted,
  valuesBeginningWith,
} from './reads.ts';
import { recordIdEdges } from './record-id.ts';
import {
  createWrites,
  deleteWrites,
  deletionWrite,
  type Edit,
  existsCheck,
  incrementWrite,
  revocationWrite,
  tombstoneWrite,
  updateWrites,
} from './writes.ts';

type Optional = 'indexes' | 'maps' | 'idEdges' | 'keepsActor' | 'isUnbounded';

type BesideUniques<Name extends string> = { readonly [Unique in Name]?: Readonly<Record<string, string>> };

type Keep<Stored> = (record: Stored) => boolean;

interface Named<Name> {
  name: Name;
  value: string;
}

interface ValueRange {
  count: number;
  after?: string | undefined;
  isDescending?: boolean;
}

interface Given<Stored extends StoredRecord, OwnKind extends Kind, UniqueName extends string>
  extends Pick<RecordDefinition<Stored>, 'table' | 'schema'>,
    Partial<Pick<RecordDefinition<Stored>, Optional>> {
  kind: OwnKind;
  /** Several of one name are entries to search by, which their records' ids keep apart. */
  uniques?: { readonly [Name in UniqueName]: (record: Stored) => UniqueValue | readonly UniqueValue[] | undefined };
}

const describedBy = <Stored extends StoredRecord, UniqueName extends string>(
  definition: RecordDefinition<Stored>,
  schema: RecordDefinition<Stored>['schema'],
) => ({
  schema,
  keyOf: (programId: string, id: string) => keyOf(definition, programId, id),
  keyOfName: (programId: string, name: UniqueName, value: string) => uniqueKey(definition, programId, { name, value }),
  getMany: (programId: string, ids: Iterable<string>, isConsistent?: boolean) =>
    readRecords(definition, programId, ids, isConsistent),
  findNames: (programId: string, named: readonly Named<UniqueName>[]) => findNames(definition, programId, named),
});

/** Reads are parsed. Writes are conditional items, so that one transaction can join several kinds. */
export const recordStore = <
  Stored extends StoredRecord,
  const OwnKind extends Kind = Kind,
  UniqueName extends string = never,
>({
  uniques,
  ...given
}: Given<Stored, OwnKind, UniqueName>) => {
  const uniqueValues = Object.entries<(record: Stored) => UniqueValue | readonly UniqueValue[] | undefined>(
    uniques ?? {},
  );
  const definition: RecordDefinition<Stored> = {
    indexes: () => [],
    maps: {},
    idEdges: recordIdEdges,
    ...given,
    uniques: (record) =>
      uniqueValues.flatMap(([name, of]) => [of(record) ?? []].flat().map((unique) => ({ name, ...unique }))),
  };
  return {
    ...describedBy<Stored, UniqueName>(definition, given.schema),
    kind: given.kind,
    uniqueNames: uniqueValues.map(([name]) => name),
    get: (programId: string, id: string) => readRecord(definition, programId, id),
    getManyEvenDeleted: (programId: string, ids: Iterable<string>, options?: { inOneTrip?: boolean }) =>
      readRecordsEvenDeleted(definition, programId, ids, options),
    attributesEvenDeleted: (programId: string, ids: Iterable<string>, attributes: readonly (keyof Stored & string)[]) =>
      readAttributesEvenDeleted(definition, programId, ids, attributes),
    find: (programId: string, name: UniqueName, value: string) => findRecord(definition, programId, name, value),
    findName: (programId: string, name: UniqueName, value: string) => findName(definition, programId, name, value),
    newestIds: (programId: string, entry: IndexEntry, count: number) => newestIds(definition, programId, entry, count),
    valuesBeginningWith: (programId: string, name: UniqueName, prefix: string, range: ValueRange) =>
      valuesBeginningWith(definition, programId, { name, prefix, ...range }),
    page: (programId: string, request: PageRequest, entry?: IndexEntry, keep?: Keep<Stored>, onFound?: OnIdsFound) =>
      readPage(definition, programId, request, { entry, keep, onFound }),
    all: (programId: string, entry?: IndexEntry) => allRecords(definition, programId, entry),
    createWrites: (programId: string, record: Stored, besideUniques?: BesideUniques<UniqueName>) =>
      createWrites(definition, programId, record, besideUniques),
    updateWrites: (
      programId: string,
      before: Stored,
      after: Stored,
      options: Omit<Edit<Stored>, 'before' | 'after'> = {},
    ) => updateWrites(definition, programId, { before, after, ...options }),
    deleteWrites: (programId: string, record: Stored) => deleteWrites(definition, programId, record),
    tombstoneWrite: (programId: string, record: Stored, now: Date) =>
      tombstoneWrite(definition, programId, record, now),
    deletionWrite: (programId: string, id: string, now: Date) => deletionWrite(definition, programId, id, now),
    revocationWrite: (programId: string, id: string, now: Date) => revocationWrite(definition, programId, id, now),
    incrementWrite: (programId: string, id: string, amounts: Readonly<Record<string, number | bigint>>) =>
      incrementWrite(definition, programId, id, amounts),
    existsCheck: (programId: string, id: string, refusal: () => Error, still?: Partial<Stored>) =>
      existsCheck(definition, programId, id, { refusal, ...(still && { still }) }),
    setMapEntryWrite: (programId: string, id: string, entry: MapEntry & { value: unknown; now: Date }) =>
      setMapEntryWrite(definition, programId, id, entry),
    deleteMapEntryWrite: (programId: string, id: string, entry: MapEntry & { now: Date }) =>
      deleteMapEntryWrite(definition, programId, id, entry),
  };
};

/** What every store can do, whatever its kind and its unique values. */
export type RecordStore<Stored extends StoredRecord> = Pick<ReturnType<typeof recordStore<Stored>>, StoreFunction>;
type StoreFunction = 'get' | 'getMany' | 'page' | 'createWrites' | 'updateWrites' | 'deleteWrites';
