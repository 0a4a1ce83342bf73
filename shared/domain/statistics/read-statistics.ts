import { fieldError, requireRecord } from '../../contract/errors.ts';
import type { QueryOf, ResponseOf } from '../../contract/operation.ts';
import type { readStatistics as operation } from '../../contract/statistics.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { queryItems } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { daysOf, type Period } from '../../platform/time/days.ts';
import { links } from '../affiliates/link-repository.ts';
import { affiliates } from '../affiliates/repository.ts';
import { namedIn, type StatisticName, StoredSums } from './day-sums.ts';
import { salesByDay } from './sales-by-day.ts';

type Query = QueryOf<typeof operation>;
type Statistics = ResponseOf<typeof operation>;

export interface Sums {
  readonly clicks: number;
  readonly referrals: number;
  readonly sales: number;
  readonly revenueMinor: bigint;
  readonly refundsMinor: bigint;
  readonly commissionMinor: bigint;
}

interface OfDay extends Sums {
  readonly day: string;
  readonly key: string | null;
  readonly id: string | null;
}

interface StoredDay extends OfDay {
  readonly linkSales: number;
}

const nothing: Sums = { clicks: 0, referrals: 0, sales: 0, revenueMinor: 0n, refundsMinor: 0n, commissionMinor: 0n };

const afterAll = '~';
/** These many sums cost 10 read units, eventually consistent, with hosts of the greatest length. A year of one link is less. */
const maxSums = 380;
const maxSumsOfHosts = 280;

/** This many sums of a link are at most 4 KB, which cost half a read unit. */
const sumsOfRead = 19;
const maxReads = 20;
/** Up to this many days, the hosts of one link are read day by day, a read unit each. */
const maxDaysOfHosts = 10;

const tooMany = (name: StatisticName) => {
  const less = name === 'AFFILIATE' ? 'one affiliate with affiliateId' : 'one link with link';
  const sentence = `There is too much in this period for this groupBy: choose a shorter one, or ${less}`;
  return fieldError('to', sentence, 'period_too_long');
};

export const sumsIn = (item: Record<string, unknown>, name: StatisticName): StoredDay => {
  const { sk, ...sums } = StoredSums.parse(item);
  const { day, id, host = '' } = namedIn(name, sk);
  const minor = {
    revenueMinor: BigInt(sums.revenueMinor),
    refundsMinor: BigInt(sums.refundsMinor),
    commissionMinor: BigInt(sums.commissionMinor),
  };
  return { ...sums, ...minor, day, id, key: name === 'REFERRER' ? host : id };
};

const querySums = async (
  programId: string,
  name: StatisticName,
  [first, last]: readonly [string, string],
): Promise<StoredDay[]> => {
  const max = name === 'REFERRER' ? maxSumsOfHosts : maxSums;
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': partition(programId, 'STATISTIC', name), ':first': first, ':last': last },
    Limit: max + 1,
  });
  if (items.length > max) throw tooMany(name);
  return items.map((item) => sumsIn(item, name));
};

/** Of all affiliates, links or referrers. Throws a 400 where there are too many. */
export const sumsByDay = (
  programId: string,
  name: 'AFFILIATE' | 'LINK' | 'REFERRER',
  { first, last }: Period,
): Promise<OfDay[]> => querySums(programId, name, [first, `${last}${afterAll}`]);

export const sumsOfOne = (
  programId: string,
  { name, id }: { name: 'AFFILIATE' | 'LINK'; id: string },
  { first, last }: Period,
): Promise<StoredDay[]> => querySums(programId, `ONE_${name}`, [`${id}#${first}`, `${id}#${last}`]);

const referrersOf = async (programId: string, linkId: string | undefined, period: Period): Promise<OfDay[]> => {
  const days = daysOf(period);
  if (linkId !== undefined && days.length <= maxDaysOfHosts) {
    const hostsOn = (day: string) =>
      querySums(programId, 'REFERRER', [`${day}#${linkId}#`, `${day}#${linkId}#${afterAll}`]);
    return (await Promise.all(days.map(hostsOn))).flat();
  }
  const all = await sumsByDay(programId, 'REFERRER', period);
  return linkId === undefined ? all : all.filter(({ id }) => id === linkId);
};

const linksOfAffiliate = async (programId: string, affiliateId: string, period: Period): Promise<OfDay[]> => {
  const own = Object.keys((await affiliates.get(programId, affiliateId))?.links ?? {});
  if (own.length * Math.ceil(daysOf(period).length / sumsOfRead) <= maxReads)
    return (await Promise.all(own.map((id) => sumsOfOne(programId, { name: 'LINK', id }, period)))).flat();
  const all = await sumsByDay(programId, 'LINK', period);
  return all.filter(({ key }) => key !== null && own.includes(key));
};

export const added = (all: readonly Sums[]): Sums =>
  all.reduce<Sums>(
    (sum, one) => ({
      clicks: sum.clicks + one.clicks,
      referrals: sum.referrals + one.referrals,
      sales: sum.sales + one.sales,
      revenueMinor: sum.revenueMinor + one.revenueMinor,
      refundsMinor: sum.refundsMinor + one.refundsMinor,
      commissionMinor: sum.commissionMinor + one.commissionMinor,
    }),
    nothing,
  );

const intervalsOf = (period: Period, interval: Query['interval']): Period[] => {
  const days = daysOf(period);
  if (interval === 'day') return days.map((day) => ({ first: day, last: day }));
  return [...Map.groupBy(days, (day) => day.slice(0, 7)).values()].map((month) => ({
    first: month[0] ?? period.first,
    last: month.at(-1) ?? period.last,
  }));
};

const linkNamed = async (programId: string, link: string): Promise<string> => {
  const found = await links.findName(programId, 'SLUG', link.toLowerCase());
  return requireRecord(found, 'Link').id;
};

const filterOf = async (programId: string, { affiliateId, link }: Query) => {
  if (affiliateId !== undefined) return { name: 'AFFILIATE', id: affiliateId } as const;
  if (link !== undefined) return { name: 'LINK', id: await linkNamed(programId, link) } as const;
  return undefined;
};

const ofAllByDay = async (programId: string, period: Period): Promise<OfDay[]> =>
  (await salesByDay(programId, period)).map(({ count: sales, linkCount: linkSales, ...day }) => ({
    ...day,
    sales,
    linkSales,
    key: null,
    id: null,
  }));

const withKey = (sums: readonly OfDay[], key: string | null): OfDay[] => sums.map((one) => ({ ...one, key }));

const read = async (programId: string, query: Query, period: Period): Promise<OfDay[]> => {
  const filter = await filterOf(programId, query);
  const ofFilter = () => (filter ? sumsOfOne(programId, filter, period) : undefined);
  switch (query.groupBy) {
    case 'none':
      return withKey((await ofFilter()) ?? (await ofAllByDay(programId, period)), null);
    case 'affiliate':
      return (await ofFilter()) ?? sumsByDay(programId, 'AFFILIATE', period);
    case 'link':
      if (filter?.name === 'AFFILIATE') return linksOfAffiliate(programId, filter.id, period);
      return (await ofFilter()) ?? sumsByDay(programId, 'LINK', period);
    case 'referrer':
      return referrersOf(programId, filter?.id, period);
  }
};

/** Sums by interval, and by what they are grouped by. At most 10 read units for them. docs/behavior.md#statistics */
export const readStatistics = async (program: { id: string; currency: string }, query: Query): Promise<Statistics> => {
  const period = { first: query.from, last: query.to };
  const sums = await read(program.id, query, period);
  const amount = (minor: bigint) => fromMinor(String(minor), program.currency);
  const keys = query.groupBy === 'none' ? [null] : [...new Set(sums.map(({ key }) => key))].sort();
  return intervalsOf(period, query.interval).flatMap(({ first, last }) => {
    const within = sums.filter(({ day }) => day >= first && day <= last);
    return keys.flatMap((key) => {
      const own = within.filter((one) => one.key === key);
      if (query.groupBy !== 'none' && own.length === 0) return [];
      const { revenueMinor, refundsMinor, commissionMinor, ...counts } = added(own);
      const amounts = {
        revenue: amount(revenueMinor),
        refunds: amount(refundsMinor),
        commission: amount(commissionMinor),
      };
      return [{ from: first, to: last, key, ...counts, ...amounts }];
    });
  });
};
