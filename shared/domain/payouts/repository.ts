import { deployedName } from '../../platform/table/deployed-name.ts';
import { updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { type PreparationStep, StoredPayoutBatch } from './rules.ts';

export const batchesWithStatus = (status: string) => ({ index: 'GSI1', parts: ['STATUS', status] }) as const;

export const payoutBatches = recordStore({
  table: 'records',
  kind: 'PAYOUT_BATCH',
  keepsActor: true,
  schema: StoredPayoutBatch,
  indexes: ({ status }) => [batchesWithStatus(status)],
});

/** Thrown if the batch was deleted or moved on: nothing is left to do. */
export class BatchMovedOn extends Error {
  override name = 'BatchMovedOn';
}

const keyOf = (programId: string, batchId: string) => ({ pk: partition(programId, 'PAYOUT_BATCH'), sk: batchId });

export const whileAtStep = (programId: string, batchId: string, step: PreparationStep): Write => ({
  ConditionCheck: {
    TableName: deployedName('records'),
    Key: keyOf(programId, batchId),
    ConditionExpression: '#step = :step',
    ExpressionAttributeNames: { '#step': 'step' },
    ExpressionAttributeValues: { ':step': step },
  },
  refusal: () => new BatchMovedOn(`Payout batch ${batchId} is not ${step} any more`),
});

/** Not an edit: the version stays. Throws BatchMovedOn. */
export const moveToStep = async (
  programId: string,
  batch: StoredPayoutBatch,
  next: Exclude<PreparationStep, 'DONE'>,
): Promise<void> => {
  const moved = await updateItem('records', keyOf(programId, batch.id), {
    UpdateExpression: 'SET #step = :next',
    ConditionExpression: '#step = :step',
    ExpressionAttributeNames: { '#step': 'step' },
    ExpressionAttributeValues: { ':next': next, ':step': batch.step },
  });
  if (!moved.isWritten) throw new BatchMovedOn(`Payout batch ${batch.id} is not ${batch.step} any more`);
};
