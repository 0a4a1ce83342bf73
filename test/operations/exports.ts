import type { exportOperations } from '../../shared/contract/exports.ts';
import { endExports } from '../support/done-export.ts';
import { byId } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const exportSamples = {
  // In the order of the story.
  createExport: {
    playedAfter: 'readEvent',
    request: () => ({ body: {} }),
    foreign: {},
    measured: {
      'while none runs': {
        request: async ({ programId }) => {
          await endExports(programId);
          return { body: {} };
        },
        cost: [2, 0, 5],
      },
    },
  },
  readExport: {
    playedAfter: 'createExport',
    request: ({ exported }) => ({ parameters: { id: exported.id } }),
    foreign: { id: ({ exported }) => [exported.id] },
    measured: {
      'by id': { request: ({ exported }) => byId(exported), cost: [1, 1, 1] },
    },
  },
  listExports: {
    playedAfter: 'readExport',
    request: () => ({}),
    foreign: {
      id: ({ exported }) => [exported.id],
      cursor: async (world) => [await cursorOf(world, '/exports')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] },
      'by id': { request: ({ exported }) => ({ query: { id: exported.id } }), cost: [1, 1, 1] },
    },
  },
} satisfies SamplesOf<typeof exportOperations>;
