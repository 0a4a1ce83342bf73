import type { Change } from '../../platform/table/change.ts';
import { customerOf } from '../attribution/customers.ts';
import { dayOfReferral, StoredReferral } from '../referrals/rules.ts';
import { StoredAdjustment } from '../sales/adjustments.ts';
import { dayOfSale, StoredSale } from '../sales/rules.ts';
import { sumsName } from '../statistics/day-sums.ts';
import type { Uncounted } from '../uses/uncounted.ts';

/** A bigint sum, because many sales may exceed a safe integer. */
export interface Delta {
  kind: 'AFFILIATE' | 'REFERRAL' | 'LINK' | 'PROMOTIONAL_CODE' | 'COUPON' | 'CUSTOMER' | 'DAY' | 'SUMS';
  id: string;
  amounts: Record<string, bigint>;
}

/** What happened on a day, by affiliate, by link and by referring host. docs/behavior.md#statistics */
const sumsOf = (
  day: string,
  { affiliateId, affiliateLinkId, referringHost, inStatistics }: StoredSale | StoredReferral,
  amounts: Delta['amounts'],
  linkSales = 0n,
): Delta[] => {
  // Of an earlier version: it gets here once `statistics build` has marked it.
  if (!inStatistics) return [];
  const of = [
    ...(affiliateId === null
      ? []
      : (['AFFILIATE', 'ONE_AFFILIATE'] as const).map((name) => ({ name, day, id: affiliateId }))),
    ...(affiliateLinkId === null
      ? []
      : (['LINK', 'ONE_LINK'] as const).map((name) => ({ name, day, id: affiliateLinkId }))),
    ...(affiliateLinkId === null || referringHost === null
      ? []
      : [{ name: 'REFERRER' as const, day, id: affiliateLinkId, host: referringHost }]),
  ];
  return of.map((one) => ({
    kind: 'SUMS',
    id: sumsName(one),
    amounts: { ...amounts, ...(one.name === 'ONE_AFFILIATE' && { linkSales }) },
  }));
};

/** By what it was credited for: a link that is deleted takes no clicks back either. docs/behavior.md#statistics */
const linkSalesIn = ({ attribution }: StoredSale): bigint => (attribution?.affiliateLinkId ? 1n : 0n);

const shareOf = (sale: StoredSale | undefined): Delta[] => {
  if (!sale) return [];
  const revenueMinor = BigInt(sale.totalEarnedMinor - sale.refundedAmountMinor);
  const commissionMinor = BigInt(sale.commissionEarnedMinor);
  const linkSales = linkSalesIn(sale);
  const codeSales = sale.promotionalCodeId === null ? 0n : 1n;
  const refundsMinor = BigInt(sale.refundedAmountMinor);
  const day = dayOfSale(sale);
  const amounts = { sales: 1n, revenueMinor, refundsMinor, commissionMinor };
  const deltas: Delta[] = [
    // Earlier versions have counted all but refunds.
    {
      kind: 'DAY',
      id: day,
      amounts: { ...amounts, codeSales, linkSales, ...(!sale.inStatistics && { refundsMinor: 0n }) },
    },
    ...sumsOf(day, sale, amounts, linkSales),
  ];
  if (sale.affiliateId !== null) {
    deltas.push({
      kind: 'AFFILIATE',
      id: sale.affiliateId,
      amounts: {
        // Of an earlier version: it is counted once `commissions build` has marked it.
        numberOfSales: sale.payableAt === undefined ? 0n : 1n,
        totalRevenueMinor: revenueMinor,
        totalCommissionEarnedMinor: commissionMinor,
        totalCommissionPaidMinor: sale.paidAt === null ? 0n : commissionMinor,
      },
    });
  }
  if (sale.referralId !== null)
    deltas.push({
      kind: 'REFERRAL',
      id: sale.referralId,
      amounts: { totalRevenueMinor: revenueMinor, totalCommissionMinor: commissionMinor },
    });
  if (sale.affiliateLinkId !== null)
    deltas.push({ kind: 'LINK', id: sale.affiliateLinkId, amounts: { sales: 1n, totalRevenueMinor: revenueMinor } });
  return deltas;
};

const shareOfReferral = (referral: StoredReferral | undefined): Delta[] => {
  if (!referral) return [];
  const day = dayOfReferral(referral);
  const amounts = { referrals: 1n };
  const deltas: Delta[] = [
    ...(referral.inStatistics ? [{ kind: 'DAY', id: day, amounts } as const] : []),
    ...sumsOf(day, referral, amounts),
  ];
  if (referral.affiliateId !== null)
    deltas.push({ kind: 'AFFILIATE', id: referral.affiliateId, amounts: { numberOfReferredUsers: 1n } });
  if (referral.affiliateLinkId !== null)
    deltas.push({ kind: 'LINK', id: referral.affiliateLinkId, amounts: { referrals: 1n } });
  return deltas;
};

/** It reduces what was earned, and later what was paid. */
const shareOfAdjustment = (adjustment: StoredAdjustment | undefined): Delta[] =>
  adjustment
    ? [
        {
          kind: 'AFFILIATE',
          id: adjustment.affiliateId,
          amounts: {
            totalCommissionEarnedMinor: BigInt(adjustment.amountMinor),
            totalCommissionPaidMinor: adjustment.paidAt === null ? 0n : BigInt(adjustment.amountMinor),
          },
        },
      ]
    : [];

const negated = (deltas: readonly Delta[]): Delta[] =>
  deltas.map((delta) => ({
    ...delta,
    amounts: Object.fromEntries(Object.entries(delta.amounts).map(([name, amount]) => [name, -amount])),
  }));

export const summed = (deltas: readonly Delta[]): Delta[] => {
  const byRecord = Map.groupBy(deltas, ({ kind, id }) => `${kind} ${id}`);
  return [...byRecord.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const amounts: Record<string, bigint> = {};
    for (const delta of group)
      for (const [name, amount] of Object.entries(delta.amounts)) amounts[name] = (amounts[name] ?? 0n) + amount;
    const moved = Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0n));
    return Object.keys(moved).length > 0 ? [{ kind: first.kind, id: first.id, amounts: moved }] : [];
  });
};

/** Stays counted when the sale or referral is deleted. */
const redemptionIn = ({ promotionalCodeId, redemption }: StoredSale | StoredReferral): Delta[] => {
  if (promotionalCodeId === null || redemption === null) return [];
  const { couponId, fromCodeCap, fromCouponCap } = redemption;
  const amounts = (isFromCap: boolean) => ({ timesRedeemed: 1n, ...(!isFromCap && { uncappedUses: 1n }) });
  return [
    { kind: 'PROMOTIONAL_CODE', id: promotionalCodeId, amounts: amounts(fromCodeCap) },
    { kind: 'COUPON', id: couponId, amounts: amounts(fromCouponCap) },
  ];
};

/** The redemption in a new sale or referral that was marked as not counted: it took no use of a cap of code or coupon. */
export const uncountedIn = ({ kind, before, after }: Change): Uncounted | undefined => {
  if (before || !after || (kind !== 'SALE' && kind !== 'REFERRAL')) return undefined;
  const {
    id: recordId,
    promotionalCodeId: codeId,
    redemption,
  } = (kind === 'SALE' ? StoredSale : StoredReferral).parse(after);
  if (codeId === null || redemption === null || (redemption.fromCodeCap && redemption.fromCouponCap)) return undefined;
  return { couponId: redemption.couponId, codeId, recordId };
};

const ordersLost = (sale: StoredSale): Delta[] => {
  const customer = customerOf(sale);
  return customer === undefined ? [] : [{ kind: 'CUSTOMER', id: customer, amounts: { orders: -1n } }];
};

export const deltasOf = ({ kind, before, after }: Change): Delta[] => {
  if (kind === 'SALE') {
    const [was, is] = [before && StoredSale.parse(before), after && StoredSale.parse(after)];
    const made = is && !was ? redemptionIn(is) : [];
    const deleted = was && !is ? ordersLost(was) : [];
    return summed([...shareOf(is), ...negated(shareOf(was)), ...made, ...deleted]);
  }
  if (kind === 'REFERRAL') {
    const [was, is] = [before && StoredReferral.parse(before), after && StoredReferral.parse(after)];
    const made = is && !was ? redemptionIn(is) : [];
    return summed([...shareOfReferral(is), ...negated(shareOfReferral(was)), ...made]);
  }
  if (kind === 'ADJUSTMENT') {
    const [was, is] = [before && StoredAdjustment.parse(before), after && StoredAdjustment.parse(after)];
    return summed([...shareOfAdjustment(is), ...negated(shareOfAdjustment(was))]);
  }
  return [];
};
