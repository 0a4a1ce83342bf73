import { affiliates, affiliatesWithStatus } from '../../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { newestTotals, type TotalsOfAffiliate } from '../../domain/affiliates/totals.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { batchesWithStatus, payoutBatches } from '../../domain/payouts/repository.ts';
import { members } from '../../domain/programs/members.ts';
import { apiKeys } from '../../domain/programs/repository.ts';
import { reviewPrefix, sales } from '../../domain/sales/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { type DayOfSales, salesByDay } from '../../domain/statistics/sales-by-day.ts';
import { dayCountOf, type Period, periodBefore } from '../../platform/time/days.ts';
import { allWebhooks, isOwn } from '../../webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { maxDays } from '../lists/period.ts';

const shownOfEach = 5;
/** Beyond this, figures of affiliates are those of the newest. */
export const maxAffiliates = 1000;
/** A higher count is shown as “More than 25”. */
export const maxWaiting = 25;

/** How far a program has been set up. */
export interface Setup {
  hasCoupon: boolean;
  /** Besides the one that each program is created with. */
  hasKey: boolean;
  hasMember: boolean;
}

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
  heldSales: readonly string[];
  /** Undefined if the program has as many sales as are shown: it is no new one. */
  setup: Setup | undefined;
  newestAffiliateId: string | undefined;
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

/** One record or two of each kind. */
const readSetup = async (programId: string): Promise<Setup> => {
  const [coupon, keys, member] = await Promise.all([
    coupons.page(programId, { limit: 1 }),
    apiKeys.page(programId, { limit: 3 }),
    members.page(programId, { limit: 1 }),
  ]);
  return {
    hasCoupon: coupon.items.length > 0,
    hasKey: keys.items.filter(({ kind }) => kind === 'API').length > 1,
    hasMember: member.items.length > 0,
  };
};

/** Two round trips for any period: seven concurrent reads, then the affiliates that they refer to and, of a new program, its setup. */
export const readOverview = async (programId: string, period: Period): Promise<Overview> => {
  const [ofDays, { totals, isAll }, newest, webhooks, readyBatches, inactiveAffiliates, held] = await Promise.all([
    readDays(programId, period),
    newestTotals(programId, maxAffiliates),
    sales.page(programId, { limit: shownOfEach }),
    allWebhooks(programId),
    payoutBatches.newestIds(programId, batchesWithStatus('READY'), maxWaiting + 1),
    affiliates.newestIds(programId, affiliatesWithStatus('INACTIVE'), maxWaiting + 1),
    sales.valuesBeginningWith(programId, 'REVIEW', reviewPrefix('HELD'), { count: maxWaiting + 1 }),
  ]);
  const top = topOf(totals);
  const named = [...top, ...newest.items].flatMap(({ affiliateId }) => affiliateId ?? []);
  const newestAffiliateId = totals[0]?.affiliateId;
  const isNew = newest.items.length < shownOfEach;
  const [byId, setup] = await Promise.all([
    affiliates.getMany(programId, isNew && newestAffiliateId ? [...named, newestAffiliateId] : named),
    isNew ? readSetup(programId) : undefined,
  ]);
  return {
    ...ofDays,
    totals,
    hasAllTotals: isAll,
    top,
    newest: newest.items,
    affiliates: byId,
    newestAffiliateId,
    failing: webhooks.filter((webhook) => isOwn(webhook) && isFailing(webhook)),
    readyBatches,
    inactiveAffiliates,
    heldSales: held.map(({ id }) => id),
    setup,
  };
};
