import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { deployedName } from '../../platform/table/client.ts';
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
  readonly revenueMinor: bigint;
  readonly commissionMinor: bigint;
}

export const StoredDayOfSales = z.object({
  sk: z.string(),
  sales: z.number(),
  codeSales: z.number().default(0),
  revenueMinor: MinorSum,
  commissionMinor: MinorSum,
});

const partitionOf = (programId: string) => partition(programId, 'SALE', 'DAY');

/** Only a new sale creates a day, so that none comes back after a purge. */
export const incrementDayWrite = (programId: string, day: string, amounts: Readonly<Record<string, bigint>>): Write => {
  const { sales = 0n, codeSales = 0n, revenueMinor = 0n, commissionMinor = 0n } = amounts;
  return {
    Update: {
      TableName: deployedName('records'),
      Key: { pk: partitionOf(programId), sk: day },
      UpdateExpression: 'ADD sales :sales, codeSales :codes, revenueMinor :revenue, commissionMinor :commission',
      ...(sales <= 0n && { ConditionExpression: 'attribute_exists(pk)' }),
      ExpressionAttributeValues: {
        ':sales': sales,
        ':codes': codeSales,
        ':revenue': revenueMinor,
        ':commission': commissionMinor,
      },
    },
    refusal: () => new ConcurrentModificationError(`There were no sales on ${day}`),
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
    const { sales = 0, codeSales = 0, revenueMinor = 0, commissionMinor = 0 } = byDay.get(day) ?? {};
    return {
      day,
      count: sales,
      codeCount: codeSales,
      revenueMinor: BigInt(revenueMinor),
      commissionMinor: BigInt(commissionMinor),
    };
  });
};
