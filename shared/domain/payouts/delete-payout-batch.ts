import { ApiError } from '../../contract/errors.ts';
import { deleteRecord } from '../../platform/table/edit.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** 409 if it is paid. docs/behavior.md#deleting-a-batch */
export const deletePayoutBatch = (
  programId: string,
  batchId: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredPayoutBatch> =>
  deleteRecord(payoutBatches, { programId, id: batchId, noun: 'Payout batch', expectedVersions }, ({ id, status }) => {
    if (status === 'PAID') throw new ApiError('conflict', 'A paid payout batch cannot be deleted');
    return [payoutBatches.deletionWrite(programId, id, now)];
  });
