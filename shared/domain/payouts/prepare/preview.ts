import { affiliates } from '../../affiliates/repository.ts';
import type { StoredAffiliate } from '../../affiliates/rules.ts';
import { adjustments, openAdjustments, type StoredAdjustment } from '../../sales/adjustments.ts';
import { pageOfDueSales, salesOnHold } from '../../sales/payable-sales.ts';
import type { StoredSale } from '../../sales/rules.ts';
import { type OnHold, sumOnHold } from '../on-hold.ts';
import { adjustmentParts, saleParts, worthOf } from '../parts/parts.ts';
import { isTooSmall, type StoredPayoutBatch } from '../rules.ts';
import { type MinimumOf, minimumsOfGroups } from './minimum.ts';

/** Of sales and of adjustments each, because a person waits for the preview. */
const maxParts = 1000;
const maxPages = 10;
const maxOnHold = 500;

export interface PayoutPreview {
  payouts: { affiliate: StoredAffiliate; amountMinor: bigint; saleCount: number }[];
  totalMinor: bigint;
  belowMinimum: number;
  onHold: OnHold | undefined;
  /** False if there is more than a preview reads: the batch will hold that too. */
  isComplete: boolean;
}

const dueSales = async (programId: string, batch: StoredPayoutBatch) => {
  const items: StoredSale[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const page = await pageOfDueSales(programId, batch, { limit: maxParts, after });
    items.push(...page.items);
    after = page.next;
    pages += 1;
  } while (after !== undefined && items.length < maxParts && pages < maxPages);
  return { items: items.slice(0, maxParts), isComplete: after === undefined && items.length <= maxParts };
};

const byAffiliate = <Part extends { affiliateId: string | null }>(parts: readonly Part[]): Map<string, Part[]> =>
  Map.groupBy(parts, ({ affiliateId }) => affiliateId ?? '');

const isWanted = (affiliate: StoredAffiliate | undefined, batch: StoredPayoutBatch): affiliate is StoredAffiliate =>
  affiliate !== undefined &&
  (!batch.affiliateIds || batch.affiliateIds.includes(affiliate.id)) &&
  (!batch.paymentMethod || affiliate.paymentMethod === batch.paymentMethod);

const payoutsFrom = (
  batch: StoredPayoutBatch,
  sold: readonly StoredSale[],
  adjusted: readonly StoredAdjustment[],
  byId: ReadonlyMap<string, StoredAffiliate>,
  minimumOf: MinimumOf | undefined,
) => {
  const adjustmentsBy = byAffiliate(adjusted.filter(adjustmentParts.isOpen));
  const all = [...byAffiliate(sold)].flatMap(([affiliateId, parts]) => {
    const affiliate = byId.get(affiliateId);
    if (!isWanted(affiliate, batch)) return [];
    const amountMinor = worthOf(saleParts, parts) + worthOf(adjustmentParts, adjustmentsBy.get(affiliateId) ?? []);
    return [{ affiliate, amountMinor, saleCount: parts.length }];
  });
  const payouts = all.filter(
    ({ affiliate, amountMinor }) => !isTooSmall(amountMinor, batch, minimumOf?.(affiliate) ?? null),
  );
  const belowMinimum = all.filter(({ amountMinor }) => amountMinor > 0n).length - payouts.length;
  return { payouts, belowMinimum };
};

/** What a batch would pay if its worker gathered it now: the same sales, adjustments and limits. Writes nothing. */
export const previewPayouts = async (programId: string, batch: StoredPayoutBatch): Promise<PayoutPreview> => {
  const [due, adjusted, held, minimumOf] = await Promise.all([
    dueSales(programId, batch),
    adjustments.page(programId, { limit: maxParts }, openAdjustments),
    salesOnHold(programId, batch.periodEnd, maxOnHold),
    minimumsOfGroups(programId, batch),
  ]);
  const ids = [...due.items, ...held.sales].flatMap(({ affiliateId }) => affiliateId ?? []);
  const byId = await affiliates.getMany(programId, new Set(ids));
  const { payouts, belowMinimum } = payoutsFrom(batch, due.items, adjusted.items, byId, minimumOf);
  const wantedOnHold = held.sales.filter(({ affiliateId }) => isWanted(byId.get(affiliateId ?? ''), batch));
  return {
    payouts: payouts.toSorted((one, other) => Number(other.amountMinor - one.amountMinor)),
    totalMinor: payouts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    belowMinimum,
    onHold: sumOnHold(wantedOnHold, held.isComplete),
    isComplete: due.isComplete && adjusted.next === undefined,
  };
};
