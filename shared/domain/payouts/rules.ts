import * as z from 'zod';
import { paymentMethods } from '../../contract/payment-methods.ts';
import { type PayoutBatch, payoutBatchSources, payoutBatchStatuses } from '../../contract/payout-batches.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { storedFields } from '../../platform/table/keys.ts';

/** Each step may run twice; it is over once the next is stored: claim, settle small ones, release, sum up. */
export const preparationSteps = ['CLAIMING', 'SETTLING', 'RELEASING', 'SUMMING', 'DONE'] as const;
export type PreparationStep = (typeof preparationSteps)[number];

export const StoredPayoutBatch = z.object({
  ...storedFields,
  name: z.string().nullable(),
  status: z.enum(payoutBatchStatuses),
  step: z.enum(preparationSteps),
  /** Inclusive. */
  periodStart: z.string().nullable(),
  /** Exclusive. */
  periodEnd: z.string(),
  affiliateIds: z.array(z.string()).nullable(),
  paymentMethod: z.enum(paymentMethods).nullable(),
  /** Its codes pay the affiliates; batches of earlier versions name none. */
  couponId: z.string().nullable().default(null),
  minimumAmountMinor: z.number().nullable(),
  /** The program's currency when the batch was created. */
  currency: z.string(),
  payoutCount: z.number(),
  saleCount: z.number(),
  /** Text, because the sum may exceed a safe integer. */
  totalAmountMinor: z.string(),
  paidAt: z.string().nullable(),
  /** An imported batch holds what was paid elsewhere on one day. docs/behavior.md#imports */
  source: z.enum(payoutBatchSources).default('API'),
});
export type StoredPayoutBatch = z.infer<typeof StoredPayoutBatch>;

export const payoutBatchResponse = (batch: StoredPayoutBatch): z.input<typeof PayoutBatch> => ({
  ...batch,
  totalAmount: fromMinor(batch.totalAmountMinor, batch.currency),
});

/** The larger minimum counts, that of the batch or of the affiliate's group. */
export const isTooSmall = (
  amountMinor: bigint,
  { minimumAmountMinor }: Pick<StoredPayoutBatch, 'minimumAmountMinor'>,
  groupMinimumMinor: number | null = null,
): boolean => amountMinor <= 0n || amountMinor < BigInt(Math.max(minimumAmountMinor ?? 0, groupMinimumMinor ?? 0));
