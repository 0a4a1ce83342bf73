import type { PageRequest } from '../../../platform/table/page.ts';
import { affiliates } from '../../affiliates/repository.ts';
import type { StoredAffiliate } from '../../affiliates/rules.ts';
import { adjustmentParts, type Part, type PartKind, saleParts, worthOf } from '../parts/parts.ts';
import { isTooSmall, type StoredPayoutBatch } from '../rules.ts';

/** Of sales and of adjustments each, because a person waits for the preview. */
const maxParts = 1000;

export interface PayoutPreview {
  payouts: { affiliate: StoredAffiliate; amountMinor: bigint; saleCount: number }[];
  totalMinor: bigint;
  /** False if there is more than a preview reads: the batch will hold that too. */
  isComplete: boolean;
}

const openParts = async <Stored extends Part>(
  programId: string,
  kind: PartKind<Stored>,
  period: Omit<PageRequest, 'limit'>,
) => {
  const { items, next } = await kind.store.page(programId, { ...period, limit: maxParts }, kind.open);
  const byAffiliate = Map.groupBy(items.filter(kind.isOpen), ({ affiliateId }) => affiliateId ?? '');
  return { byAffiliate, isComplete: next === undefined };
};

/** What a batch would pay if its worker gathered it now: the same sales, adjustments and limits. Writes nothing. */
export const previewPayouts = async (programId: string, batch: StoredPayoutBatch): Promise<PayoutPreview> => {
  const period = { createdAfter: batch.periodStart ?? undefined, createdBefore: batch.periodEnd };
  const [sold, adjusted] = await Promise.all([
    openParts(programId, saleParts, period),
    openParts(programId, adjustmentParts, {}),
  ]);
  const byId = await affiliates.getMany(programId, sold.byAffiliate.keys());
  const payouts = [...sold.byAffiliate].flatMap(([affiliateId, parts]) => {
    const affiliate = byId.get(affiliateId);
    if (batch.affiliateIds && !batch.affiliateIds.includes(affiliateId)) return [];
    if (!affiliate || (batch.paymentMethod && affiliate.paymentMethod !== batch.paymentMethod)) return [];
    const amountMinor =
      worthOf(saleParts, parts) + worthOf(adjustmentParts, adjusted.byAffiliate.get(affiliateId) ?? []);
    return isTooSmall(amountMinor, batch) ? [] : [{ affiliate, amountMinor, saleCount: parts.length }];
  });
  return {
    payouts: payouts.sort((one, other) => Number(other.amountMinor - one.amountMinor)),
    totalMinor: payouts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    isComplete: sold.isComplete && adjusted.isComplete,
  };
};
