import Big from 'big.js';
import * as z from 'zod';
import { type Sale, saleStatuses } from '../../contract/sales.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { StoredRedemption } from '../attribution/redemption.ts';

export const StoredSale = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  affiliateId: z.string().nullable(),
  referralId: z.string().nullable(),
  affiliateLinkId: z.string().nullable(),
  promotionalCodeId: z.string().nullable(),
  redemption: StoredRedemption.nullable().default(null),
  externalId: z.string().nullable(),
  externalInvoiceId: z.string().nullable(),
  customerId: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  totalEarnedMinor: z.number(),
  /** Percent. */
  commissionRate: z.number(),
  /** Of what was not refunded; fixed while the sale is in a payout batch. */
  commissionEarnedMinor: z.number(),
  refundedAmountMinor: z.number(),
  productsBought: z.array(
    z.object({
      productId: z.string(),
      name: z.string().nullable(),
      quantity: z.number().nullable(),
      price: z.number().nullable(),
    }),
  ),
  status: z.enum(saleStatuses),
  refundedAt: z.string().nullable(),
  payoutBatchId: z.string().nullable(),
  paidAt: z.string().nullable(),
  source: z.enum(['API', 'PORTAL', 'IMPORTED']),
  /** Of the request that made it: tells the same sale sent again from another one with its external id. */
  contentHash: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type StoredSale = z.infer<typeof StoredSale>;

/** The REST record of a sale. Decisions, "/sales". */
export const saleAnswer = (sale: StoredSale, program: { id: string; currency: string }): z.input<typeof Sale> => ({
  ...sale,
  id: Number(sale.id),
  affiliateProgramId: program.id,
  totalEarned: fromMinor(sale.totalEarnedMinor, program.currency),
  commissionEarned: fromMinor(sale.commissionEarnedMinor, program.currency),
  refundedAmount: fromMinor(sale.refundedAmountMinor, program.currency),
});

/** The commission in minor units on what was not refunded, at a rate in percent, rounded half-up. Decisions 1.9. */
export const commissionMinor = (totalMinor: number, refundedMinor: number, ratePercent: number): number =>
  new Big(totalMinor).minus(refundedMinor).times(ratePercent).div(100).round(0, Big.roundHalfUp).toNumber();

/**
 * What adjustments take back of a sale's commission, in minor units: of one that was refunded inside a payout batch. When
 * the batch is deleted, they are taken off the sale itself, but for those that are in another batch by then.
 */
export const adjustedMinor = (sale: StoredSale): number =>
  sale.commissionEarnedMinor - commissionMinor(sale.totalEarnedMinor, sale.refundedAmountMinor, sale.commissionRate);

/** The status of a sale by its amounts. */
export const statusOf = (totalMinor: number, refundedMinor: number): StoredSale['status'] => {
  if (refundedMinor === 0) return 'ACTIVE';
  return refundedMinor === totalMinor ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
};

/**
 * A sale after a refund of some minor units, of which it has so much left, and what an adjustment takes back for it: in
 * a payout batch a sale keeps its commission. From one refund to the next, so that several together take back exactly
 * the whole commission. Decisions, "/sales".
 */
export const refunded = (
  sale: StoredSale,
  amountMinor: number,
  now: Date,
): { sale: StoredSale; adjustmentMinor: number } => {
  const refundedAmountMinor = sale.refundedAmountMinor + amountMinor;
  const commissionOn = (refundedMinor: number) =>
    commissionMinor(sale.totalEarnedMinor, refundedMinor, sale.commissionRate);
  const differenceMinor = commissionOn(refundedAmountMinor) - commissionOn(sale.refundedAmountMinor);
  const isInBatch = sale.payoutBatchId !== null;
  return {
    sale: {
      ...sale,
      updatedAt: now.toISOString(),
      refundedAmountMinor,
      commissionEarnedMinor: sale.commissionEarnedMinor + (isInBatch ? 0 : differenceMinor),
      status: statusOf(sale.totalEarnedMinor, refundedAmountMinor),
      refundedAt: now.toISOString(),
    },
    adjustmentMinor: isInBatch ? differenceMinor : 0,
  };
};

/**
 * Whether a sale waits to be paid: what a payout batch gathers. One that was refunded in full inside a batch may still
 * have its commission when the batch is deleted, while the adjustment that takes it back is in another batch.
 */
export const isPayable = (sale: StoredSale): boolean =>
  sale.affiliateId !== null &&
  sale.payoutBatchId === null &&
  (sale.status !== 'REFUNDED' || sale.commissionEarnedMinor > 0);
