import { sales } from './repository.ts';
import type { StoredSale } from './rules.ts';

/** What was sold on one day, in minor units, and what affiliates earn by it. Refunds are taken off both. */
export interface DayOfSales {
  /** In UTC: `2026-01-31`. */
  readonly day: string;
  readonly count: number;
  readonly revenueMinor: bigint;
  readonly commissionMinor: bigint;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The days that end with today, oldest first. */
const daysUntil = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, at) => dayOf(now.getTime() - (count - 1 - at) * dayMilliseconds));

/** The sums of some sales for each of these days, exact. A sale of another day is left out. */
const sumsByDay = (days: readonly string[], made: readonly StoredSale[]): DayOfSales[] => {
  const byDay = Map.groupBy(made, ({ createdAt }) => createdAt.slice(0, 10));
  return days.map((day) => {
    const ofDay = byDay.get(day) ?? [];
    const sum = (minor: (sale: StoredSale) => number) => ofDay.reduce((total, sale) => total + BigInt(minor(sale)), 0n);
    return {
      day,
      count: ofDay.length,
      revenueMinor: sum((sale) => sale.totalEarnedMinor - sale.refundedAmountMinor),
      commissionMinor: sum((sale) => sale.commissionEarnedMinor),
    };
  });
};

const salesInRead = 1000;
const mostReads = 5;

/** The sales of the last days by day. `countedSince` says that there are more: only those from that moment on count. */
export interface RecentSales {
  readonly days: readonly DayOfSales[];
  readonly countedSince: string | undefined;
}

/**
 * The sales of the last days, today included, by day. Reads the range of their ids, newest first: one query where there
 * are few, and never more than 5 of 1 MB, which is some 5,000 sales and 700 read units.
 *
 * @param bounds how much is read at most; smaller in tests
 */
export const recentSales = async (
  programId: string,
  dayCount: number,
  now: Date,
  { inRead, reads } = { inRead: salesInRead, reads: mostReads },
): Promise<RecentSales> => {
  const days = daysUntil(now, dayCount);
  const found: StoredSale[] = [];
  let after: string | undefined;
  for (let read = 0; read < reads; read++) {
    const page = await sales.page(programId, { limit: inRead, after, createdAfter: `${days[0]}T00:00:00.000Z` });
    found.push(...page.items);
    after = page.next;
    if (!after) break;
  }
  return { days: sumsByDay(days, found), countedSince: after && found.at(-1)?.createdAt };
};
