import { requireRecord } from '../../contract/errors.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { payoutsInBatches, type StoredPayout } from '../../domain/payouts/payouts.ts';
import { payoutBatches } from '../../domain/payouts/repository.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import { adjustments, openAdjustmentsOf } from '../../domain/sales/adjustments.ts';
import { sales, salesOfAffiliate } from '../../domain/sales/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Period } from '../../platform/time/days.ts';
import { rangeOf } from '../lists/list-part.ts';
import { affiliatesNamed } from '../lists/related-records.ts';

/** More would not be printed. */
export const maxSales = 500;
export const maxAdjustments = 100;

export interface Statement {
  affiliate: StoredAffiliate;
  sales: readonly StoredSale[];
  isComplete: boolean;
  hasAllAdjustments: boolean;
  payout: { batch: StoredPayoutBatch; payout: StoredPayout } | undefined;
  /** Negative: refunds of sales that were already paid, to be deducted from the next payout. */
  openAdjustmentsMinor: bigint;
}

const readPayout = async (programId: string, affiliateId: string, batchId: string) => {
  const [batch, byBatch] = await Promise.all([
    payoutBatches.get(programId, batchId),
    payoutsInBatches(programId, affiliateId, [batchId]),
  ]);
  const payout = batch?.step === 'DONE' ? byBatch.get(batchId) : undefined;
  return requireRecord(batch && payout && { batch, payout }, 'Payout');
};

/** Two round trips: keys of sales and adjustments beside the rest, then the records. 404 where the batch pays nothing. */
export const readStatement = async (
  programId: string,
  affiliateId: string,
  { first, last }: Period,
  batchId: string | undefined,
): Promise<Statement> => {
  const [byId, sold, open, payout] = await Promise.all([
    affiliatesNamed(programId, [affiliateId]),
    sales.page(
      programId,
      { ...rangeOf({ from: first, to: last }), limit: maxSales },
      salesOfAffiliate(affiliateId),
      (sale) => batchId === undefined || sale.payoutBatchId === batchId,
    ),
    adjustments.page(programId, { limit: maxAdjustments }, openAdjustmentsOf(affiliateId)),
    batchId === undefined ? undefined : readPayout(programId, affiliateId, batchId),
  ]);
  return {
    affiliate: requireRecord(byId.get(affiliateId), 'Affiliate'),
    sales: sold.items.toReversed(),
    isComplete: sold.next === undefined && (!payout || payout.payout.saleCount === sold.items.length),
    payout,
    hasAllAdjustments: open.next === undefined,
    openAdjustmentsMinor: open.items.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n),
  };
};
