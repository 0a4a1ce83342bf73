import { ApiError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updatePayoutBatch as operation } from '../../contract/payout-batches.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** Renames a batch or marks it paid. docs/behavior.md#paying-a-batch */
export const updatePayoutBatch = (
  programId: string,
  { payoutBatchId, name, status }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredPayoutBatch> =>
  editRecord(payoutBatches, { programId, id: payoutBatchId, noun: 'Payout batch', expectedVersions }, (batch) => {
    if (status !== undefined && (batch.status !== 'READY' || status !== 'PAID')) {
      const already = status === batch.status ? ' already' : '';
      const message = `The payout batch is ${batch.status}${already}. The only change of status is from READY to PAID.`;
      throw new ApiError('conflict', message);
    }
    const updatedAt = now.toISOString();
    const newName = name === undefined ? batch.name : name;
    return { after: { ...batch, updatedAt, name: newName, ...(status === 'PAID' && { status, paidAt: updatedAt }) } };
  });
