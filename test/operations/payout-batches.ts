import { randomUUID } from 'node:crypto';
import type { payoutBatchOperations } from '../../shared/contract/payout-batches.ts';
import { byId, newBatch, newCoupon, unused } from './measured-records.ts';
import { cursorOf, longAgo, type SamplesOf } from './sample.ts';

export const payoutBatchSamples = {
  listPayoutBatches: {
    request: () => ({}),
    foreign: {
      id: ({ batch }) => [batch.id],
      cursor: async (world) => [await cursorOf(world, '/payout-batches')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] },
      'by status': { request: () => ({ query: { status: 'PREPARING', limit: '1' } }), cost: [2, 2.5, 1] },
    },
  },
  readPayoutBatch: {
    request: ({ batch }) => ({ parameters: { id: batch.id } }),
    foreign: {
      id: ({ batch }) => [batch.id],
      cursor: async (world) => [await cursorOf(world, '/payout-batches')],
    },
    measured: {
      'by id': { request: ({ batch }) => byId(batch), cost: [1, 1, 1] },
    },
  },
  createPayoutBatch: {
    request: () => ({ body: { periodEnd: longAgo } }),
    foreign: {
      name: ({ batch }) => [batch.name],
      affiliateIds: ({ affiliate }) => [[affiliate.id]],
      couponId: ({ coupon }) => [coupon.id],
    },
    measured: {
      'of all affiliates': { request: () => ({ body: { periodEnd: '2020-01-01T00:00:00Z' } }), cost: [2, 0, 4] },
      'paid in coupons': {
        request: async (world) => {
          const { id } = await newCoupon(world, { couponCategory: 'PAYOUT' });
          return { body: { periodEnd: longAgo, paymentMethod: 'COUPON', couponId: id } };
        },
        cost: [2, 1, 4],
      },
    },
  },
  updatePayoutBatch: {
    request: () => ({ body: { payoutBatchId: randomUUID(), name: 'October' } }),
    foreign: { payoutBatchId: ({ batch }) => [batch.id], name: ({ batch }) => [batch.name] },
    measured: {
      name: { request: ({ batch }) => ({ body: { payoutBatchId: batch.id, name: unused() } }), cost: [2, 1, 3] },
    },
  },
  deletePayoutBatch: {
    request: () => ({ body: { payoutBatchId: randomUUID() } }),
    foreign: { payoutBatchId: ({ batch }) => [batch.id] },
    measured: {
      'by id': { request: async (world) => ({ body: { payoutBatchId: (await newBatch(world)).id } }), cost: [2, 1, 6] },
    },
  },
} satisfies SamplesOf<typeof payoutBatchOperations>;
