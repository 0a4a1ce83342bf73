import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** What happened on a day of the program's time zone, by affiliate, by link, and by link and referring host. docs/behavior.md#statistics */

/** `ONE_…` has the same sums with the days of one beside each other: an index holds keys alone. */
export const statisticNames = ['AFFILIATE', 'LINK', 'REFERRER', 'ONE_AFFILIATE', 'ONE_LINK', 'HOSTS'] as const;
const StatisticName = z.enum(statisticNames);
export type StatisticName = z.infer<typeof StatisticName>;

export const StoredSums = z.object({
  /** `<day>#<id>`, of one `<id>#<day>`, and of a referrer `<day>#<link>#<host>`. */
  sk: z.string(),
  clicks: z.number().default(0),
  referrals: z.number().default(0),
  sales: z.number().default(0),
  /** Of `ONE_AFFILIATE`: of those, the sales of customers who came by a link. docs/behavior.md#statistics */
  linkSales: z.number().default(0),
  revenueMinor: MinorSum.default(0),
  refundsMinor: MinorSum.default(0),
  commissionMinor: MinorSum.default(0),
  /** Of `HOSTS`: those that a link counts by name on a day. */
  hosts: z.union([z.set(z.string()), z.array(z.string())]).optional(),
});
export type StoredSums = z.infer<typeof StoredSums>;

export interface DayOf {
  readonly name: StatisticName;
  readonly day: string;
  readonly id: string;
  readonly host?: string | undefined;
}

const isOfOne = (name: StatisticName): boolean => name.startsWith('ONE_');

export const sumsKey = (programId: string, { name, day, id, host }: DayOf) => ({
  pk: partition(programId, 'STATISTIC', name),
  sk: [...(isOfOne(name) ? [id, day] : [day, id]), ...(host === undefined ? [] : [host])].join('#'),
});

/** The day of stored sums, and of what they are. */
export const namedIn = (name: StatisticName, sk: string): { day: string; id: string; host: string | undefined } => {
  const [first = '', second = '', host] = sk.split('#');
  return isOfOne(name) ? { day: second, id: first, host } : { day: first, id: second, host };
};

export const sumsName = ({ name, day, id, host }: DayOf): string => [name, day, id, host ?? []].flat().join(' ');

export const namedSums = (named: string): DayOf => {
  const [name = '', day = '', id = '', host] = named.split(' ');
  return { name: StatisticName.parse(name), day, id, host };
};

type Amounts = Readonly<Record<string, bigint>>;

export const isNewIn = ({ sales = 0n, referrals = 0n, clicks = 0n }: Amounts): boolean =>
  sales > 0n || referrals > 0n || clicks > 0n;

/** What a change of a record adds. Only what is new creates a day, so that none comes back after a purge. */
export const incrementSumsWrite = (programId: string, of: DayOf, amounts: Amounts): Write => {
  const names = Object.keys(amounts);
  return {
    Update: {
      TableName: deployedName('records'),
      Key: sumsKey(programId, of),
      UpdateExpression: `ADD ${names.map((name) => `${name} :${name}`).join(', ')}`,
      ...(!isNewIn(amounts) && { ConditionExpression: 'attribute_exists(pk)' }),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, amounts[name]])),
    },
    refusal: () => new ConcurrentModificationError(`Nothing is counted on ${of.day}`),
  };
};
