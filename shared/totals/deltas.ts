import type { Change } from '../../events/change.ts';
import { StoredAdjustment } from '../payouts/adjustments.ts';
import { StoredReferral } from '../referrals/rules.ts';
import { StoredSale } from '../sales/rules.ts';

/** What one change adds to the totals of one record. A sum of many sales may exceed what a number keeps. */
export interface Delta {
  kind: 'AFFILIATE' | 'REFERRAL' | 'LINK';
  id: string;
  amounts: Record<string, bigint>;
}

const shareOf = (sale: StoredSale | undefined): Delta[] => {
  if (!sale) return [];
  const revenueMinor = BigInt(sale.totalEarnedMinor - sale.refundedAmountMinor);
  const commissionMinor = BigInt(sale.commissionEarnedMinor);
  const deltas: Delta[] = [];
  if (sale.affiliateId !== null) {
    deltas.push({
      kind: 'AFFILIATE',
      id: sale.affiliateId,
      amounts: {
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
  const deltas: Delta[] = [];
  if (referral.affiliateId !== null)
    deltas.push({ kind: 'AFFILIATE', id: referral.affiliateId, amounts: { numberOfReferredUsers: 1n } });
  if (referral.affiliateLinkId !== null)
    deltas.push({ kind: 'LINK', id: referral.affiliateLinkId, amounts: { referrals: 1n } });
  return deltas;
};

/** An adjustment takes commission back that was earned, and later takes it from what was paid. */
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

/** One delta a record: the sums of all, without what comes to nothing. */
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

/** What a change of a sale, a referral or an adjustment adds to totals: what it is now less what it was. */
export const deltasOf = ({ kind, before, after }: Change): Delta[] => {
  const difference = <Stored>(parse: (image: unknown) => Stored, share: (stored: Stored | undefined) => Delta[]) =>
    summed([...share(after && parse(after)), ...negated(share(before && parse(before)))]);
  if (kind === 'SALE') return difference((image) => StoredSale.parse(image), shareOf);
  if (kind === 'REFERRAL') return difference((image) => StoredReferral.parse(image), shareOfReferral);
  if (kind === 'ADJUSTMENT') return difference((image) => StoredAdjustment.parse(image), shareOfAdjustment);
  return [];
};
