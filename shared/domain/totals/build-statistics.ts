import { forEachAsRead } from '../../platform/concurrency/for-each-concurrent.ts';
import type { ItemKey } from '../../platform/table/items.ts';
import { queryAllItems, updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { inAllPrograms } from '../programs/all-programs.ts';
import { isNotCounted } from '../statistics/counted-mark.ts';

export interface BuiltStatistics {
  programs: number;
  referrals: number;
  sales: number;
}

const atATime = 10;

/** The totals worker counts what a record brings when it sees this change of it, and exactly once like every change. */
const mark = async (key: ItemKey): Promise<boolean> => {
  const { isWritten } = await updateItem('records', key, {
    UpdateExpression: 'SET inStatistics = :yes',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':yes': true },
  });
  return isWritten;
};

const markAll = async (programId: string, kind: 'REFERRAL' | 'SALE'): Promise<number> => {
  const pk = partition(programId, kind);
  let marked = 0;
  const unmarked = queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: isNotCounted,
    ExpressionAttributeValues: { ':pk': pk, ':no': false },
    ProjectionExpression: 'sk',
  });
  await forEachAsRead(unmarked, atATime, async ({ sk }) => {
    if (await mark({ pk, sk: String(sk) })) marked += 1;
  });
  return marked;
};

/** Adds records of earlier versions to the statistics. Can be interrupted and repeated. docs/operations.md#build-the-statistics */
export const buildStatisticsOf = async (programId: string): Promise<BuiltStatistics> => ({
  programs: 1,
  referrals: await markAll(programId, 'REFERRAL'),
  sales: await markAll(programId, 'SALE'),
});

export const buildAllStatistics = (): Promise<BuiltStatistics> =>
  inAllPrograms({ programs: 0, referrals: 0, sales: 0 }, buildStatisticsOf);
