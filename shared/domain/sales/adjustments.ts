import * as z from 'zod';
import { storedFields } from '../../platform/table/keys.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { affiliates } from '../affiliates/repository.ts';

/** Positive if it makes up for a deleted sale's adjustments. docs/behavior.md#refunds */
export const StoredAdjustment = z.object({
  ...storedFields,
  saleId: z.string(),
  affiliateId: z.string(),
  amountMinor: z.number(),
  payoutBatchId: z.string().nullable(),
  paidAt: z.string().nullable(),
});
export type StoredAdjustment = z.infer<typeof StoredAdjustment>;

export const adjustmentsInBatch = (batchId: string) => ({ index: 'GSI4', parts: ['BATCH', batchId] }) as const;
export const openAdjustments = { index: 'GSI6', parts: ['OPEN'] } as const;
export const openAdjustmentsOf = (affiliateId: string) =>
  ({ index: 'GSI1', parts: ['OPEN', 'AFFILIATE', affiliateId] }) as const;

export const adjustments = recordStore({
  table: 'records',
  kind: 'ADJUSTMENT',
  schema: StoredAdjustment,
  indexes: ({ payoutBatchId, affiliateId }) =>
    payoutBatchId === null ? [openAdjustments, openAdjustmentsOf(affiliateId)] : [adjustmentsInBatch(payoutBatchId)],
});

/** No write without an amount or an affiliate. If the affiliate is deleted at this moment, the sweep removes it. */
export const adjustmentWrites = async (
  programId: string,
  sale: { id: string; affiliateId: string | null },
  amountMinor: number,
  now: Date,
): Promise<Write[]> => {
  const { id: saleId, affiliateId } = sale;
  // A refund below one minor unit takes nothing back.
  if (amountMinor === 0 || affiliateId === null || !(await affiliates.get(programId, affiliateId))) return [];
  const at = now.toISOString();
  const fields = { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1, payoutBatchId: null, paidAt: null };
  return adjustments.createWrites(programId, { ...fields, saleId, affiliateId, amountMinor });
};
