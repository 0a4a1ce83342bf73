import * as z from 'zod';
import { paymentMethods } from '../../contract/affiliates.ts';
import { type PayoutBatch, payoutBatchStatuses } from '../../contract/payout-batches.ts';
import { fromMinor } from '../../platform/money/money.ts';

/**
 * How far the preparation of a batch is. Each step may run twice and is over for good once the next one is stored:
 * claim sales and adjustments; settle which payouts are too small; release what those had claimed; sum up what is left.
 */
export const preparationSteps = ['CLAIMING', 'SETTLING', 'RELEASING', 'SUMMING', 'DONE'] as const;
export type PreparationStep = (typeof preparationSteps)[number];

export const StoredPayoutBatch = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  name: z.string().nullable(),
  status: z.enum(payoutBatchStatuses),
  step: z.enum(preparationSteps),
  /** Inclusive. */
  periodStart: z.string().nullable(),
  /** Exclusive. */
  periodEnd: z.string(),
  affiliateIds: z.array(z.string()).nullable(),
  paymentMethod: z.enum(paymentMethods).nullable(),
  minimumAmountMinor: z.number().nullable(),
  /** The program's when the batch was made. */
  currency: z.string(),
  payoutCount: z.number(),
  saleCount: z.number(),
  /** Whole minor units as text: the sum of a large batch may exceed what a number keeps. */
  totalAmountMinor: z.string(),
  paidAt: z.string().nullable(),
});
export type StoredPayoutBatch = z.infer<typeof StoredPayoutBatch>;

/** The REST record of a batch, without its payouts. Decisions, "/payout-batches". */
export const payoutBatchAnswer = (batch: StoredPayoutBatch): z.input<typeof PayoutBatch> => ({
  ...batch,
  totalAmount: fromMinor(batch.totalAmountMinor, batch.currency),
});

/** Whether a payout is left for a later batch: below the minimum, or nothing or less. */
export const isTooSmall = (amountMinor: bigint, { minimumAmountMinor }: StoredPayoutBatch): boolean =>
  amountMinor <= 0n || (minimumAmountMinor !== null && amountMinor < BigInt(minimumAmountMinor));
