import { ApiError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updatePayoutBatch as operation } from '../../contract/payout-batches.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { couponCanPay } from './payout-coupon.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** Renames a batch or marks it paid; 409 if its coupon cannot pay it any more. docs/behavior.md#paying-a-batch */
export const updatePayoutBatch = (
  programId: string,
  { payoutBatchId, name, status }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredPayoutBatch> =>
  editRecord(payoutBatches, { programId, id: payoutBatchId, noun: 'Payout batch', expectedVersions }, async (batch) => {
    if (status !== undefined && (batch.status !== 'READY' || status !== 'PAID')) {
      const already = status === batch.status ? ' already' : '';
      const message = `The payout batch is ${batch.status}${already}. The only change of status is from READY to PAID.`;
      throw new ApiError('conflict', message);
    }
    const updatedAt = now.toISOString();
    const newName = name === undefined ? batch.name : name;
    const after = { ...batch, updatedAt, name: newName };
    if (status !== 'PAID') return { after };
    return { after: { ...after, status, paidAt: updatedAt }, writes: await couponCanPay(programId, batch, now) };
  });
