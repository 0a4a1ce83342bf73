import { isDeepStrictEqual } from 'node:util';
import { forEachAsRead } from '../../platform/concurrency/for-each-concurrent.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { deleteItem, queryAllItems } from '../../platform/table/items.ts';
import type { StoredRecord } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { RecordStore } from '../../platform/table/record-store.ts';
import { type Searched, searchWordsOf } from '../../platform/table/search.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { affiliates } from '../affiliates/repository.ts';
import { searchedIn } from '../affiliates/search.ts';
import { inAllPrograms } from '../programs/all-programs.ts';
import { sales } from './repository.ts';

export interface BuiltSearch {
  programs: number;
  affiliates: number;
  sales: number;
}

const atATime = 10;

type Store<Stored extends StoredRecord> = RecordStore<Stored> & { all: (programId: string) => AsyncIterable<Stored> };

/** Returns how many records changed. It counts as no edit: versions and events stay as they are. */
const buildWords = async <Stored extends StoredRecord & { searchWords: string[] }>(
  store: Store<Stored>,
  programId: string,
  searched: (record: Stored) => Searched,
): Promise<number> => {
  let changed = 0;
  const build = async ({ id }: Stored): Promise<void> =>
    retryOnConflict(async () => {
      const record = await store.get(programId, id);
      const searchWords = record && searchWordsOf(searched(record));
      if (!record || isDeepStrictEqual(record.searchWords, searchWords)) return;
      await writeTogether(store.updateWrites(programId, record, { ...record, searchWords }, { isEdit: false }));
      changed += 1;
    });
  const isOutdated = (record: Stored) => !isDeepStrictEqual(record.searchWords, searchWordsOf(searched(record)));
  await forEachAsRead(store.all(programId), atATime, async (record) => {
    if (isOutdated(record)) await build(record);
  });
  return changed;
};

/** For records from before there was a search by words, and after its rules changed. Can be repeated. */
export const buildSearchOf = async (programId: string): Promise<BuiltSearch> => {
  const built = {
    programs: 1,
    affiliates: await buildWords(affiliates, programId, searchedIn),
    sales: await buildWords(sales, programId, (sale) => sale),
  };
  const pk = partition(programId, 'AFFILIATE', 'NAME');
  const former = queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ProjectionExpression: 'sk',
  });
  for await (const { sk } of former) await deleteItem('records', { pk, sk: String(sk) });
  return built;
};

export const buildAllSearch = (): Promise<BuiltSearch> =>
  inAllPrograms({ programs: 0, affiliates: 0, sales: 0 }, buildSearchOf);
