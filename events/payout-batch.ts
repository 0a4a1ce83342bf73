import { PayoutBatch } from '../shared/contract/payout-batches.ts';
import { paidBatchExample, preparingBatchExample, readyBatchExample } from '../shared/contract/record-examples.ts';
import { payoutBatchResponse, StoredPayoutBatch } from '../shared/domain/payouts/rules.ts';
import { eventFamily } from './family.ts';

export const payoutBatchEvents = eventFamily({
  name: 'payout_batch',
  kind: 'PAYOUT_BATCH',
  noun: 'payout batch',
  stored: StoredPayoutBatch,
  response: PayoutBatch,
  toResponse: async (_program, batch) => payoutBatchResponse(batch),
  notEdited: [],
  also: [
    {
      type: 'payout_batch.ready',
      description:
        'A payout batch is prepared and has payouts. `data` is the batch with its sums, without the payouts.',
      when: (before, after) => before.status === 'PREPARING' && after.status === 'READY',
      example: { before: preparingBatchExample, after: readyBatchExample },
    },
    {
      type: 'payout_batch.paid',
      description: 'A payout batch was marked paid. Its sales follow within moments, each with `sale.updated`.',
      when: (before, after) => before.status !== 'PAID' && after.status === 'PAID',
      example: { before: readyBatchExample, after: paidBatchExample },
    },
  ],
  example: preparingBatchExample,
  editedExample: readyBatchExample,
});
