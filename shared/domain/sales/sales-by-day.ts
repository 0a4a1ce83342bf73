import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { deployedName } from '../../platform/table/client.ts';
import { queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

export interface DayOfSales {
  readonly day: string;
  readonly count: number;
  readonly revenueMinor: bigint;
  readonly commissionMinor: bigint;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const daysUntil = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, at) => dayOf(now.getTime() - (count - 1 - at) * dayMilliseconds));

const StoredDay = z.object({
  sk: z.string(),
  sales: z.number(),
  revenueMinor: MinorSum,
  commissionMinor: MinorSum,
});

const partitionOf = (programId: string) => partition(programId, 'SALE', 'DAY');

/** Only a new sale creates a day, so that none comes back after a purge. */
export const incrementDayWrite = (programId: string, day: string, amounts: Readonly<Record<string, bigint>>): Write => {
  const { sales = 0n, revenueMinor = 0n, commissionMinor = 0n } = amounts;
  return {
    Update: {
      TableName: deployedName('records'),
      Key: { pk: partitionOf(programId), sk: day },
      UpdateExpression: 'ADD sales :sales, revenueMinor :revenue, commissionMinor :commission',
      ...(sales <= 0n && { ConditionExpression: 'attribute_exists(pk)' }),
      ExpressionAttributeValues: { ':sales': sales, ':revenue': revenueMinor, ':commission': commissionMinor },
    },
    refusal: () => new ConcurrentModificationError(`There were no sales on ${day}`),
  };
};

/** Today included, as counted so far. One item per day: 1 read unit for a month, 5 for a year. */
export const recentSales = async (programId: string, dayCount: number, now: Date): Promise<DayOfSales[]> => {
  const days = daysUntil(now, dayCount);
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': partitionOf(programId), ':first': days[0], ':last': days.at(-1) },
  });
  const byDay = new Map(items.map((item) => StoredDay.parse(item)).map((one) => [one.sk, one]));
  return days.map((day) => {
    const { sales = 0, revenueMinor = 0, commissionMinor = 0 } = byDay.get(day) ?? {};
    return { day, count: sales, revenueMinor: BigInt(revenueMinor), commissionMinor: BigInt(commissionMinor) };
  });
};
