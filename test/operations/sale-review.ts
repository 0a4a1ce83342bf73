import { reviewSale, type saleReviewOperations } from '../../shared/contract/sale-review.ts';
import type { World } from '../speed/world.ts';
import { holdSale } from '../support/review.ts';
import { newSale } from './measured-records.ts';
import type { SamplesOf } from './sample.ts';

const heldSale = async (world: World): Promise<{ id: number }> => {
  const { id } = await newSale(world);
  await holdSale(world.programId, id);
  return { id };
};

export const saleReviewSamples = {
  reviewSale: {
    playedAfter: 'createSale',
    prepare: ({ programId, ids }) => holdSale(programId, Number(ids.get(reviewSale.example.body.saleId))),
    // Approved before.
    request: ({ sale }) => ({ body: { saleId: sale.id, decision: 'APPROVE' } }),
    foreign: { saleId: ({ sale }) => [sale.id] },
    measured: {
      approve: {
        request: async (world) => ({ body: { saleId: (await heldSale(world)).id, decision: 'APPROVE' } }),
        cost: [2, 1, 10],
      },
    },
  },
} satisfies SamplesOf<typeof saleReviewOperations>;
