import { links } from '../../domain/affiliates/link-repository.ts';
import type { StoredLink } from '../../domain/affiliates/link-rules.ts';
import { affiliates, affiliatesWithStatus, waitingAffiliates } from '../../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { newestTotals, type TotalsOfAffiliate } from '../../domain/affiliates/totals.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { groupsOf } from '../../domain/groups/repository.ts';
import { type OnHold, sumOnHold } from '../../domain/payouts/on-hold.ts';
import { batchesWithStatus, payoutBatches } from '../../domain/payouts/repository.ts';
import { members } from '../../domain/programs/members.ts';
import { apiKeys } from '../../domain/programs/repository.ts';
import { salesOnHold } from '../../domain/sales/payable-sales.ts';
import { reviewPrefix, sales } from '../../domain/sales/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { salesByDay } from '../../domain/statistics/sales-by-day.ts';
import { type Top, topSums } from '../../domain/statistics/top-sums.ts';
import type { Period } from '../../platform/time/days.ts';
import { allWebhooks, isOwn } from '../../webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import type { ShownPeriod } from '../lists/period.ts';
import type { ComparedDays } from './period-figures.tsx';

const shownOfEach = 5;
const maxOnHold = 100;
/** Beyond this, figures of affiliates are those of the newest. */
export const maxAffiliates = 1000;
/** A higher count is shown as “More than 25”. */
export const maxWaiting = 25;

export interface Setup {
  hasCoupon: boolean;
  /** Besides the one that each program is created with. */
  hasKey: boolean;
  hasMember: boolean;
}

export interface Overview extends ComparedDays {
  totals: readonly TotalsOfAffiliate[];
  hasAllTotals: boolean;
  topAffiliates: Top;
  topLinks: Top;
  newest: readonly StoredSale[];
  /** The affiliates of `topAffiliates` and `newest`, by id; deleted ones are missing. */
  affiliates: ReadonlyMap<string, StoredAffiliate>;
  links: ReadonlyMap<string, StoredLink>;
  failing: readonly StoredWebhook[];
  /** Ids, at most one more than is counted. */
  readyBatches: readonly string[];
  inactiveAffiliates: readonly string[];
  applications: readonly string[];
  heldSales: readonly string[];
  /** Undefined if the program has as many sales as are shown: it is no new one. */
  setup: Setup | undefined;
  newestAffiliateId: string | undefined;
  onHold: OnHold | undefined;
}

const readDays = async (programId: string, { period, before }: ShownPeriod): Promise<ComparedDays> => {
  const all = await salesByDay(programId, { first: before?.first ?? period.first, last: period.last });
  const within = ({ first, last }: Period) => all.filter(({ day }) => day >= first && day <= last);
  return { days: within(period), before: before && within(before) };
};

const isFailing = ({ active, failingSince, deactivationReason }: StoredWebhook): boolean =>
  active ? failingSince !== null : deactivationReason !== null;

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

/** What somebody has to decide, as far as it is shown. */
const readWaiting = async (programId: string) => {
  const [readyBatches, inactive, applications, held] = await Promise.all([
    payoutBatches.newestIds(programId, batchesWithStatus('READY'), maxWaiting + 1),
    affiliates.newestIds(programId, affiliatesWithStatus('INACTIVE'), maxWaiting + 1),
    affiliates.newestIds(programId, waitingAffiliates, maxWaiting + 1),
    sales.valuesBeginningWith(programId, 'REVIEW', reviewPrefix('HELD'), { count: maxWaiting + 1 }),
  ]);
  const inactiveAffiliates = inactive.filter((id) => !applications.includes(id));
  return { readyBatches, inactiveAffiliates, applications, heldSales: held.map(({ id }) => id) };
};

/** Two round trips for any period: eleven concurrent reads, then what they refer to, what is on hold and, of a new program, its setup. */
export const readOverview = async (programId: string, shown: ShownPeriod, now: Date): Promise<Overview> => {
  const [ofDays, topAffiliates, topLinks, { totals, isAll }, newest, webhooks, waiting, { groups }] = await Promise.all(
    [
      readDays(programId, shown),
      topSums(programId, 'AFFILIATE', shown.period, shownOfEach),
      topSums(programId, 'LINK', shown.period, shownOfEach),
      newestTotals(programId, maxAffiliates),
      sales.page(programId, { limit: shownOfEach }),
      allWebhooks(programId),
      readWaiting(programId),
      groupsOf(programId),
    ],
  );
  const named = [
    ...topAffiliates.sums.map(({ id }) => id),
    ...newest.items.flatMap(({ affiliateId }) => affiliateId ?? []),
  ];
  const newestAffiliateId = totals[0]?.affiliateId;
  const isNew = newest.items.length < shownOfEach;
  const [byId, linksById, setup, held] = await Promise.all([
    affiliates.getMany(programId, isNew && newestAffiliateId ? [...named, newestAffiliateId] : named),
    links.getMany(
      programId,
      topLinks.sums.map(({ id }) => id),
    ),
    isNew ? readSetup(programId) : undefined,
    groups.some(({ holdDays }) => holdDays > 0) ? salesOnHold(programId, now.toISOString(), maxOnHold) : undefined,
  ]);
  return {
    ...ofDays,
    totals,
    hasAllTotals: isAll,
    topAffiliates,
    topLinks,
    newest: newest.items,
    affiliates: byId,
    links: linksById,
    newestAffiliateId,
    failing: webhooks.filter((webhook) => isOwn(webhook) && isFailing(webhook)),
    ...waiting,
    setup,
    onHold: held && sumOnHold(held.sales, held.isComplete),
  };
};
