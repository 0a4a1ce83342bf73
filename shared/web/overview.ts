import { affiliates, affiliatesWithStatus } from '../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { newestTotals, type TotalsOfAffiliate } from '../domain/affiliates/totals.ts';
import { batchesWithStatus, payoutBatches } from '../domain/payouts/repository.ts';
import { sales } from '../domain/sales/repository.ts';
import type { StoredSale } from '../domain/sales/rules.ts';
import { type DayOfSales, dayCountOf, type Period, periodBefore, salesByDay } from '../domain/sales/sales-by-day.ts';
import { allWebhooks, isOwn } from '../webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../webhooks/endpoints/rules.ts';
import { maxDays } from './period.ts';

const shownOfEach = 5;
/** Beyond this, figures of affiliates are those of the newest. */
export const maxAffiliates = 1000;
/** A higher count is shown as “More than 25”. */
export const maxWaiting = 25;

export interface Overview {
  days: readonly DayOfSales[];
  /** The same number of days before; undefined if both together are too many to read. */
  before: readonly DayOfSales[] | undefined;
  totals: readonly TotalsOfAffiliate[];
  hasAllTotals: boolean;
  top: readonly TotalsOfAffiliate[];
  newest: readonly StoredSale[];
  /** The affiliates of `top` and `newest`, by id; deleted ones are missing. */
  affiliates: ReadonlyMap<string, StoredAffiliate>;
  failing: readonly StoredWebhook[];
  /** Ids, at most one more than is counted. */
  readyBatches: readonly string[];
  inactiveAffiliates: readonly string[];
}

const readDays = async (programId: string, period: Period) => {
  const isCompared = 2 * dayCountOf(period) <= maxDays;
  const first = isCompared ? periodBefore(period).first : period.first;
  const days = await salesByDay(programId, { first, last: period.last });
  const start = days.length - dayCountOf(period);
  return { days: days.slice(start), before: isCompared ? days.slice(0, start) : undefined };
};

const isFailing = ({ active, failingSince, deactivationReason }: StoredWebhook): boolean =>
  active ? failingSince !== null : deactivationReason !== null;

const topOf = (totals: readonly TotalsOfAffiliate[]): TotalsOfAffiliate[] =>
  totals
    .filter(({ totalRevenueMinor }) => totalRevenueMinor > 0)
    .toSorted((one, other) => Number(BigInt(other.totalRevenueMinor) - BigInt(one.totalRevenueMinor)))
    .slice(0, shownOfEach);

/** Two round trips for any period: six concurrent reads, then the affiliates that they refer to. */
export const readOverview = async (programId: string, period: Period): Promise<Overview> => {
  const [ofDays, { totals, isAll }, newest, webhooks, readyBatches, inactiveAffiliates] = await Promise.all([
    readDays(programId, period),
    newestTotals(programId, maxAffiliates),
    sales.page(programId, { limit: shownOfEach }),
    allWebhooks(programId),
    payoutBatches.newestIds(programId, batchesWithStatus('READY'), maxWaiting + 1),
    affiliates.newestIds(programId, affiliatesWithStatus('INACTIVE'), maxWaiting + 1),
  ]);
  const top = topOf(totals);
  const named = [...top, ...newest.items].flatMap(({ affiliateId }) => affiliateId ?? []);
  return {
    ...ofDays,
    totals,
    hasAllTotals: isAll,
    top,
    newest: newest.items,
    affiliates: await affiliates.getMany(programId, named),
    failing: webhooks.filter((webhook) => isOwn(webhook) && isFailing(webhook)),
    readyBatches,
    inactiveAffiliates,
  };
};
