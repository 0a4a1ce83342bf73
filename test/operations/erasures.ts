import { randomUUID } from 'node:crypto';
import type { erasureOperations } from '../../shared/contract/erasures.ts';
import { startErasure } from '../../shared/domain/privacy/start-erasure.ts';
import { byId, idempotent } from './measured-records.ts';
import type { SamplesOf } from './sample.ts';

const body = () => ({ email: `${randomUUID()}@example.com` });

export const erasureSamples = {
  createErasure: {
    playedAfter: 'readEvent',
    request: () => ({ body: body() }),
    foreign: { email: ({ affiliate }) => [affiliate.email] },
    measured: {
      'of an email': { request: () => ({ body: body() }), cost: [2, 0, 5] },
      'with an Idempotency-Key': { request: () => idempotent({ body: body() }), cost: [4, 0, 10] },
    },
  },
  readErasure: {
    playedAfter: 'createErasure',
    request: ({ erasure }) => ({ parameters: { id: erasure.id } }),
    foreign: { id: ({ erasure }) => [erasure.id] },
    measured: {
      'by id': {
        request: async ({ programId }) => byId(await startErasure(programId, body().email, new Date())),
        cost: [1, 1, 1],
      },
    },
  },
} satisfies SamplesOf<typeof erasureOperations>;
