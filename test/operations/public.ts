import type { documentationOperations, openApiOperations } from '../../shared/contract/documentation.ts';
import type { healthOperations } from '../../shared/contract/health.ts';
import type { SamplesOf } from './sample.ts';

export const publicSamples = {
  readHealth: {
    measured: {
      'within five seconds': { request: () => ({}), cost: [1, 0.5, 0] },
    },
  },
  readOpenApi: {
    measured: {
      whole: { request: () => ({}), cost: [0, 0, 0] },
    },
  },
  readDocumentation: {
    measured: {
      whole: { request: () => ({}), cost: [0, 0, 0] },
    },
  },
} satisfies SamplesOf<typeof healthOperations | typeof openApiOperations | typeof documentationOperations>;
