import { ApiError, requireRecord } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updatePayoutBatch as operation } from '../../contract/payout-batches.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** Renames a batch or marks it paid. docs/behavior.md#paying-a-batch */
export const updatePayoutBatch = (
  programId: string,
  { payoutBatchId, name, status }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredPayoutBatch> =>
  whileChanging(async () => {
    const batch = requireRecord(await payoutBatches.get(programId, payoutBatchId), 'Payout batch');
    expectVersion(batch, expectedVersions);
    if (status !== undefined && (batch.status !== 'READY' || status !== 'PAID'))
      throw new ApiError('conflict', `The payout batch is ${batch.status}. Only one that is READY can be made PAID.`);
    const updatedAt = now.toISOString();
    const changed: StoredPayoutBatch = {
      ...batch,
      updatedAt,
      name: name === undefined ? batch.name : name,
      ...(status === 'PAID' && { status, paidAt: updatedAt }),
    };
    await writeTogether(payoutBatches.change(programId, batch, changed));
    return { ...changed, version: batch.version + 1 };
  });
