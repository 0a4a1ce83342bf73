import { randomUUID } from 'node:crypto';
import type { codeExchangeOperations, connectionTestOperations } from '../../shared/contract/connector-connection.ts';
import type { subscriptionOperations } from '../../shared/contract/connector-webhooks.ts';
import { byId, newSubscription, unused } from './measured-records.ts';
import { type SamplesOf, subscriptionBody } from './sample.ts';

export const connectorSamples = {
  exchangeConnectorCode: {
    measured: {
      'of a connection': { request: ({ connectorKey }) => ({ body: { code: connectorKey } }), cost: [1, 0, 1] },
    },
  },
  testConnection: {
    request: () => ({}),
    foreign: {},
    measured: {
      'of a connection': { request: () => ({}), cost: [1, 1, 1] },
    },
  },
  listSubscriptions: {
    request: () => ({}),
    foreign: {},
    measured: {
      whole: { request: () => ({}), cost: [1, 1, 1] },
    },
  },
  subscribe: {
    request: () => ({ body: subscriptionBody() }),
    foreign: {},
    measured: {
      'to one event': {
        request: () => ({ body: { url: `https://example.com/${unused()}`, eventTypes: ['link.deleted'] } }),
        cost: [3, 2, 9],
      },
    },
  },
  readSubscription: {
    request: ({ subscription }) => ({ parameters: { id: subscription.id } }),
    foreign: { id: ({ subscription }) => [subscription.id] },
    measured: {
      'by id': { request: ({ subscription }) => byId(subscription), cost: [1, 1, 1] },
    },
  },
  unsubscribe: {
    request: () => ({ parameters: { id: randomUUID() } }),
    foreign: { id: ({ subscription }) => [subscription.id] },
    measured: {
      'by id': { request: async (world) => byId(await newSubscription(world)), cost: [2, 1, 9] },
    },
  },
} satisfies SamplesOf<typeof codeExchangeOperations | typeof connectionTestOperations | typeof subscriptionOperations>;
