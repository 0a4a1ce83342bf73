import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { daysOf, type Period } from '../../platform/time/days.ts';

/** Of the program's time zone. docs/behavior.md#day-of-a-sale */
export interface DayOfSales {
  readonly day: string;
  readonly count: number;
  /** Of those, the sales made with a code. */
  readonly codeCount: number;
  /** Of those, the sales of customers who came by a link. docs/behavior.md#statistics */
  readonly linkCount: number;
  readonly clicks: number;
  readonly referrals: number;
  readonly revenueMinor: bigint;
  readonly refundsMinor: bigint;
  readonly commissionMinor: bigint;
}

export const StoredDayOfSales = z.object({
  sk: z.string(),
  sales: z.number(),
  codeSales: z.number().default(0),
  linkSales: z.number().default(0),
  clicks: z.number().default(0),
  referrals: z.number().default(0),
  revenueMinor: MinorSum,
  refundsMinor: MinorSum.default(0),
  commissionMinor: MinorSum,
});

const partitionOf = (programId: string) => partition(programId, 'SALE', 'DAY');

const counted = [
  'sales',
  'codeSales',
  'linkSales',
  'clicks',
  'referrals',
  'revenueMinor',
  'refundsMinor',
  'commissionMinor',
] as const;

/** Only what is new creates a day, so that none comes back after a purge. */
export const incrementDayWrite = (programId: string, day: string, amounts: Readonly<Record<string, bigint>>): Write => {
  const { sales = 0n, clicks = 0n, referrals = 0n } = amounts;
  const isNew = sales > 0n || clicks > 0n || referrals > 0n;
  return {
    Update: {
      TableName: deployedName('records'),
      Key: { pk: partitionOf(programId), sk: day },
      UpdateExpression: `ADD ${counted.map((name) => `${name} :${name}`).join(', ')}`,
      ...(!isNew && { ConditionExpression: 'attribute_exists(pk)' }),
      ExpressionAttributeValues: Object.fromEntries(counted.map((name) => [`:${name}`, amounts[name] ?? 0n])),
    },
    refusal: () => new ConcurrentModificationError(`Nothing happened on ${day}`),
  };
};

/** Every day of the period, as counted so far. One item per day: 1 read unit for a month, 6 for a year. */
export const salesByDay = async (programId: string, period: Period): Promise<DayOfSales[]> => {
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': partitionOf(programId), ':first': period.first, ':last': period.last },
  });
  const byDay = new Map(items.map((item) => StoredDayOfSales.parse(item)).map((one) => [one.sk, one]));
  return daysOf(period).map((day) => {
    const found = byDay.get(day);
    return {
      day,
      count: found?.sales ?? 0,
      codeCount: found?.codeSales ?? 0,
      linkCount: found?.linkSales ?? 0,
      clicks: found?.clicks ?? 0,
      referrals: found?.referrals ?? 0,
      revenueMinor: BigInt(found?.revenueMinor ?? 0),
      refundsMinor: BigInt(found?.refundsMinor ?? 0),
      commissionMinor: BigInt(found?.commissionMinor ?? 0),
    };
  });
};
