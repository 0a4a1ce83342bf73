import { PayoutMessage, workOnPayoutBatch } from '../shared/domain/payouts/steps/work-on-batch.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { sendBatch } from '../shared/platform/queue/send-batch.ts';

export const handler = queueWorker('prepare-payout-batch', PayoutMessage, async (message) => {
  const rest = await workOnPayoutBatch(message, new Date());
  if (!rest) return;
  const unsent = await sendBatch('payout-batches', [{ ...rest, groupId: message.programId }]);
  if (unsent.size > 0) throw new Error(`The rest of the work on payout batch ${message.batchId} was not sent`);
});
