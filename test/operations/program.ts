import type { programOperations } from '../../shared/contract/program.ts';
import type { SamplesOf } from './sample.ts';

export const programSamples = {
  readProgram: {
    request: () => ({}),
    foreign: {},
    measured: {
      'of the key': { request: () => ({}), cost: [1, 1, 1] },
    },
  },
} satisfies SamplesOf<typeof programOperations>;
