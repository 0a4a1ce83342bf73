import { ApiError, requireRecord } from '../../contract/errors.ts';
import { ConcurrentModificationError, type StoredRecord } from './keys.ts';
import type { RecordStore } from './record-store.ts';
import { retryWaits } from './retry-transient.ts';
import { type Write, writeTogether } from './transaction.ts';

const maxAttempts = 12;

/** 412 if the caller accepts other versions. docs/behavior.md#etags */
export const expectVersion = (record: StoredRecord, expectedVersions: readonly number[] | undefined): void => {
  if (expectedVersions && !expectedVersions.includes(record.version)) throw new ApiError('precondition_failed');
};

/** Retries with backoff and jitter while what was read is changed by others; 409 after 12 attempts, 503 at the deadline. */
export const retryOnConflict = async <Result>(action: () => Promise<Result>): Promise<Result> => {
  const wait = retryWaits();
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ConcurrentModificationError)) throw error;
      if (attempt === maxAttempts)
        throw new ApiError('conflict', 'The record is being modified concurrently. Try again.', { cause: error });
      await wait(error);
    }
  }
};

/**
 * As `retryOnConflict`, for a record that was just read: it is read again only after a conflict. Returns undefined if it was
 * deleted by then.
 */
export const retryFromRead = <Stored extends StoredRecord, Result>(
  first: Stored,
  readAgain: () => Promise<Stored | undefined>,
  action: (record: Stored) => Promise<Result>,
): Promise<Result | undefined> => {
  let read: Stored | undefined = first;
  return retryOnConflict(async () => {
    const record = read ?? (await readAgain());
    read = undefined;
    return record && action(record);
  });
};

/** What an update changes: a field that is undefined was not sent. */
export const sentFields = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** With the noun of the 404, and the versions that `If-Match` accepts. */
export type Target<Stored> = {
  programId: string;
  noun: string;
  expectedVersions?: readonly number[] | undefined;
} & ({ id: string } | { find: () => Promise<Stored | undefined> });

const readTarget = async <Stored extends StoredRecord>(
  store: RecordStore<Stored>,
  target: Target<Stored>,
): Promise<Stored> => {
  const found = 'id' in target ? await store.get(target.programId, target.id) : await target.find();
  const record = requireRecord(found, target.noun);
  expectVersion(record, target.expectedVersions);
  return record;
};

export interface Edited<Stored> {
  after: Stored;
  writes?: readonly Write[];
}

/** Returns the record with its new version; writes nothing if the edit returns undefined. 404, 409, 412. */
export const editRecord = <Stored extends StoredRecord>(
  store: RecordStore<Stored>,
  target: Target<Stored>,
  edit: (record: Stored) => Promise<Edited<Stored> | undefined> | Edited<Stored>,
): Promise<Stored> =>
  retryOnConflict(async () => {
    const record = await readTarget(store, target);
    const edited = await edit(record);
    if (!edited) return record;
    await writeTogether([...store.updateWrites(target.programId, record, edited.after), ...(edited.writes ?? [])]);
    return { ...edited.after, version: record.version + 1 };
  });

/** `also` returns the other writes of the transaction, or throws if the record must stay. 404, 409, 412. */
export const deleteRecord = <Stored extends StoredRecord>(
  store: RecordStore<Stored>,
  target: Target<Stored>,
  also: (record: Stored) => Promise<readonly Write[]> | readonly Write[] = () => [],
): Promise<Stored> =>
  retryOnConflict(async () => {
    const record = await readTarget(store, target);
    await writeTogether([...store.deleteWrites(target.programId, record), ...(await also(record))]);
    return record;
  });
