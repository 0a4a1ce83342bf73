import { ApiError, requireRecord } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** 409 if it is paid. docs/behavior.md#deleting-a-batch */
export const deletePayoutBatch = (
  programId: string,
  batchId: string,
  expectedVersions: readonly number[] | undefined,
): Promise<StoredPayoutBatch> =>
  whileChanging(async () => {
    const batch = requireRecord(await payoutBatches.get(programId, batchId), 'Payout batch');
    expectVersion(batch, expectedVersions);
    if (batch.status === 'PAID') throw new ApiError('conflict', 'The payout batch is PAID and stays');
    await writeTogether(payoutBatches.removal(programId, batch));
    return batch;
  });
