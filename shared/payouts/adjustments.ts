import * as z from 'zod';
import { newRecordId } from '../table/record-id.ts';
import { recordStore } from '../table/record-store.ts';

/**
 * What is taken from an affiliate's next payout, because a sale was refunded after its commission went into a payout
 * batch. Negative, but for the one that makes up for others when their sale is deleted. It is gathered and paid like a
 * sale.
 */
export const StoredAdjustment = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  saleId: z.string(),
  affiliateId: z.string(),
  amountMinor: z.number(),
  payoutBatchId: z.string().nullable(),
  paidAt: z.string().nullable(),
});
export type StoredAdjustment = z.infer<typeof StoredAdjustment>;

/** Index entries of adjustments: those in a payout batch, and those that wait for one. */
export const adjustmentsInBatch = (batchId: string) => ({ index: 'GSI4', parts: ['BATCH', batchId] }) as const;
export const openAdjustments = { index: 'GSI6', parts: ['OPEN'] } as const;

export const adjustments = recordStore({
  table: 'records',
  kind: 'ADJUSTMENT',
  schema: StoredAdjustment,
  indexes: ({ payoutBatchId }) => [payoutBatchId === null ? openAdjustments : adjustmentsInBatch(payoutBatchId)],
});

/** The adjustment for a sale; none where there is nothing to adjust, or nobody. */
export const adjustmentsFor = (
  sale: { id: string; affiliateId: string | null },
  amountMinor: number,
  now: Date,
): StoredAdjustment[] => {
  // A refund that moves the commission by less than a minor unit takes nothing back.
  if (amountMinor === 0 || sale.affiliateId === null) return [];
  const at = now.toISOString();
  const { id: saleId, affiliateId } = sale;
  const unpaid = { payoutBatchId: null, paidAt: null };
  return [
    { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1, saleId, affiliateId, amountMinor, ...unpaid },
  ];
};
