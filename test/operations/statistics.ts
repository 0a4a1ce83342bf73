import type { statisticOperations } from '../../shared/contract/statistics.ts';
import type { SamplesOf } from './sample.ts';

const period = { from: '2026-01-01', to: '2026-01-31' };

export const statisticSamples = {
  readStatistics: {
    playedAfter: 'readProgram',
    request: () => ({ query: period }),
    foreign: {
      affiliateId: ({ affiliate }) => [affiliate.id],
      link: ({ link }) => [link.link],
    },
    measured: {
      'of the program': { request: () => ({ query: period }), cost: [1, 0.5, 1] },
      'by link': { request: () => ({ query: { ...period, groupBy: 'link' } }), cost: [1, 0.5, 1] },
      'of an affiliate': {
        request: ({ affiliate }) => ({ query: { ...period, affiliateId: affiliate.id } }),
        cost: [1, 0.5, 1],
      },
    },
  },
} satisfies SamplesOf<typeof statisticOperations>;
