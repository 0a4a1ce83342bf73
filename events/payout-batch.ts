import type * as z from 'zod';
import { PayoutBatch } from '../shared/contract/payout-batches.ts';
import { payoutBatchResponse, StoredPayoutBatch } from '../shared/domain/payouts/rules.ts';
import { eventFamily } from './family.ts';

const preparing: z.output<typeof PayoutBatch> = {
  id: '019a0000-0000-7000-8000-0000000000f1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  name: 'January',
  status: 'PREPARING',
  periodStart: null,
  periodEnd: '2026-01-31T12:00:00.000Z',
  paymentMethod: null,
  currency: 'USD',
  payoutCount: 0,
  saleCount: 0,
  totalAmount: 0,
  paidAt: null,
};

const ready: z.output<typeof PayoutBatch> = {
  ...preparing,
  updatedAt: '2026-01-31T12:00:02.000Z',
  status: 'READY',
  payoutCount: 2,
  saleCount: 14,
  totalAmount: 129.35,
};

const paid: z.output<typeof PayoutBatch> = {
  ...ready,
  updatedAt: '2026-02-01T12:00:00.000Z',
  status: 'PAID',
  paidAt: '2026-02-01T12:00:00.000Z',
};

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
      example: { before: preparing, after: ready },
    },
    {
      type: 'payout_batch.paid',
      description: 'A payout batch was marked paid. Its sales follow within moments, each with `sale.updated`.',
      when: (before, after) => before.status !== 'PAID' && after.status === 'PAID',
      example: { before: ready, after: paid },
    },
  ],
  example: preparing,
  editedExample: ready,
});
