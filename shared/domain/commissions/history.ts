import { begin } from '../../platform/concurrency/begin.ts';
import { dayIn } from '../../platform/time/days.ts';
import { readTotals } from '../affiliates/totals.ts';
import { firstSaleAtOf } from '../attribution/customers.ts';
import type { StoredGroups } from '../groups/rules.ts';
import { sumsOfOne } from '../statistics/read-statistics.ts';
import type { Figures, History } from './rules.ts';

/** Whose history decides a commission. `customer` is what `customerOf` returns. */
interface Parties {
  affiliateId: string;
  customer: string | undefined;
}

const nothing: Figures = { revenueMinor: 0n, sales: 0 };

/** May lag by seconds, as the totals worker does. docs/behavior.md#tiers-of-a-group */
const soldInAll = async (programId: string, affiliateId: string): Promise<Figures> => {
  const totals = (await readTotals(programId, [affiliateId])).get(affiliateId);
  return totals ? { revenueMinor: BigInt(totals.totalRevenueMinor), sales: totals.numberOfSales } : nothing;
};

const soldInMonth = async (programId: string, affiliateId: string, day: string): Promise<Figures> => {
  const days = await sumsOfOne(
    programId,
    { name: 'AFFILIATE', id: affiliateId },
    { first: `${day.slice(0, 7)}-01`, last: day },
  );
  return days.reduce(
    (sum, one) => ({ revenueMinor: sum.revenueMinor + one.revenueMinor, sales: sum.sales + one.sales }),
    nothing,
  );
};

/** Reads what the groups of the program need, in one round trip; nothing if none has months or tiers. */
const readHistory = async (
  program: { id: string; timeZone: string },
  { affiliateId, customer }: Parties,
  { groups }: StoredGroups,
  day: string,
): Promise<History> => {
  const hasMonths = groups.some(({ commissionMonths }) => commissionMonths !== null);
  const hasTiers = (during: 'ALL_TIME' | 'MONTH') =>
    groups.some(({ tiers }) => tiers.some(({ period }) => period === during));
  const [firstSaleAt, inAll, inMonth] = await Promise.all([
    hasMonths && customer !== undefined ? firstSaleAtOf(program.id, customer) : undefined,
    hasTiers('ALL_TIME') ? soldInAll(program.id, affiliateId) : nothing,
    hasTiers('MONTH') ? soldInMonth(program.id, affiliateId, day) : nothing,
  ]);
  return {
    firstSaleDay: firstSaleAt === undefined ? undefined : dayIn(program.timeZone, firstSaleAt),
    figures: { ALL_TIME: inAll, MONTH: inMonth },
  };
};

export type ReadHistory = (parties: Parties) => Promise<History>;

/** Reads each history once, in parallel with other reads; the month is that of `now`. docs/decisions/speed.md#reads-beside-an-action */
export const historyReader = (
  program: { id: string; timeZone: string },
  groups: Promise<StoredGroups>,
  now: Date,
): ReadHistory => {
  const begun = new Map<string, Promise<History>>();
  const day = dayIn(program.timeZone, now);
  return (parties) => {
    const key = JSON.stringify([parties.affiliateId, parties.customer]);
    const reading = begun.get(key) ?? begin(groups.then((all) => readHistory(program, parties, all, day)));
    begun.set(key, reading);
    return reading;
  };
};
