import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { deployedName } from '../../platform/table/client.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** What happened on a day of the program's time zone, by affiliate, by link, and by link and referring host. docs/behavior.md#statistics */

/** `ONE_…` has the same sums with the days of one beside each other: an index holds keys alone. */
export const statisticNames = ['AFFILIATE', 'LINK', 'REFERRER', 'ONE_AFFILIATE', 'ONE_LINK'] as const;
const StatisticName = z.enum(statisticNames);
export type StatisticName = z.infer<typeof StatisticName>;

export const StoredSums = z.object({
  /** `<day>#<id>`, of one `<id>#<day>`, and of a referrer `<day>#<link>#<host>`. */
  sk: z.string(),
  clicks: z.number().default(0),
  referrals: z.number().default(0),
  sales: z.number().default(0),
  revenueMinor: MinorSum.default(0),
  refundsMinor: MinorSum.default(0),
  commissionMinor: MinorSum.default(0),
  /** Of a link: the hosts that it counts by name. */
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

export const sumsName = ({ name, day, id }: DayOf): string => [name, day, id].join(' ');

/** What a change of a record adds to the sums that `sumsName` names. Only what is new creates them. */
export const incrementSumsWrite = (
  programId: string,
  named: string,
  amounts: Readonly<Record<string, bigint>>,
): Write => {
  const [name = '', day = '', id = ''] = named.split(' ');
  const { sales = 0n, referrals = 0n } = amounts;
  const of = { name: StatisticName.parse(name), day, id };
  return addSumsWrite(programId, of, amounts, { isNew: sales > 0n || referrals > 0n });
};

/** `isNew`: it may create the day. What only takes away creates none, so that none comes back after a purge. */
export const addSumsWrite = (
  programId: string,
  of: DayOf,
  amounts: Readonly<Record<string, bigint>>,
  { isNew, newHosts = [], knownHosts }: { isNew: boolean; newHosts?: readonly string[]; knownHosts?: number },
): Write => {
  const names = Object.keys(amounts);
  const additions = names.map((name) => `${name} :${name}`);
  if (newHosts.length > 0) additions.push('hosts :hosts');
  const conditions = [
    ...(isNew ? [] : ['attribute_exists(pk)']),
    // Somebody else has named hosts since they were read.
    ...(newHosts.length > 0 ? [knownHosts ? 'size(hosts) = :known' : 'attribute_not_exists(hosts)'] : []),
  ];
  return {
    Update: {
      TableName: deployedName('records'),
      Key: sumsKey(programId, of),
      UpdateExpression: `ADD ${additions.join(', ')}`,
      ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
      ExpressionAttributeValues: {
        ...Object.fromEntries(names.map((name) => [`:${name}`, amounts[name]])),
        ...(newHosts.length > 0 && { ':hosts': new Set(newHosts) }),
        ...(newHosts.length > 0 && knownHosts && { ':known': knownHosts }),
      },
    },
    refusal: () => new ConcurrentModificationError(`The sums of ${of.day} changed`),
  };
};
