import type { eventOperations } from '../../shared/contract/events.ts';
import { byId } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const eventSamples = {
  listEvents: {
    request: () => ({}),
    foreign: {
      id: ({ delivery }) => [delivery.eventId],
      cursor: async (world) => [await cursorOf(world, '/events')],
      after: async ({ api }) => [(await api.get('/events?limit=1&after=start')).headers.get('next-after')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] },
      'by type': { request: () => ({ query: { type: 'webhook.test', limit: '1' } }), cost: [2, 2.5, 1] },
      'as a feed': { request: () => ({ query: { after: 'now', limit: '1' } }), cost: [2, 2, 1] },
    },
  },
  readEvent: {
    request: ({ delivery }) => ({ parameters: { id: delivery.eventId } }),
    foreign: { id: ({ delivery }) => [delivery.eventId] },
    measured: {
      'by id': { request: ({ delivery }) => byId({ id: delivery.eventId }), cost: [1, 1, 1] },
    },
  },
} satisfies SamplesOf<typeof eventOperations>;
