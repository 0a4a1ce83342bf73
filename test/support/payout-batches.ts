import {
  createPayoutBatch as createOperation,
  updatePayoutBatch as updateOperation,
} from '../../shared/contract/payout-batches.ts';
import { createPayoutBatch } from '../../shared/domain/payouts/create-payout-batch.ts';
import { deletePayoutBatch } from '../../shared/domain/payouts/delete-payout-batch.ts';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import type { StoredPayoutBatch } from '../../shared/domain/payouts/rules.ts';
import { type PayoutMessage, workOnPayoutBatch } from '../../shared/domain/payouts/steps/work-on-batch.ts';
import { updatePayoutBatch } from '../../shared/domain/payouts/update-payout-batch.ts';
import { bodyOf, now, type TestProgram } from './domain.ts';

// Payout batches with all of their background work done by the test itself.

type Terms = Parameters<typeof bodyOf<typeof createOperation.body>>[1];

/** A batch for which no work is done yet. */
export const createBatch = (program: TestProgram, terms: Terms = {}): Promise<StoredPayoutBatch> =>
  createPayoutBatch(program, bodyOf(createOperation, terms), now);

/** Does all the work of a task, message by message. */
export const workOnBatch = async (
  { id: programId }: TestProgram,
  batchId: string,
  task: PayoutMessage['task'],
): Promise<void> => {
  let message: PayoutMessage | undefined = { programId, batchId, task, phase: 0, round: 0 };
  while (message) message = (await workOnPayoutBatch(message, now))?.message;
};

/** A batch that is READY, or has NO_TRANSACTIONS. */
export const prepareBatch = async (program: TestProgram, terms: Terms = {}): Promise<StoredPayoutBatch> => {
  const { id } = await createBatch(program, terms);
  await workOnBatch(program, id, 'prepare');
  const batch = await payoutBatches.get(program.id, id);
  if (!batch) throw new Error('The batch is gone');
  return batch;
};

export const payBatch = async (program: TestProgram, { id }: { id: string }): Promise<void> => {
  await updatePayoutBatch(program.id, bodyOf(updateOperation, { payoutBatchId: id, status: 'PAID' }), undefined, now);
  await workOnBatch(program, id, 'pay');
};

export const deleteBatch = async (program: TestProgram, { id }: { id: string }): Promise<void> => {
  await deletePayoutBatch(program.id, id, undefined, new Date());
  await workOnBatch(program, id, 'release');
};
