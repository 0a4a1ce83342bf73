import { randomUUID } from 'node:crypto';
import type {
  secretRotationOperations,
  webhookOperations,
  webhookTestOperations,
} from '../../shared/contract/webhooks.ts';
import { byId, newWebhook, unused } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const webhookSamples = {
  listWebhooks: {
    request: () => ({}),
    foreign: {
      id: ({ webhook }) => [webhook.id],
      cursor: async (world) => [await cursorOf(world, '/webhooks')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [2, 2, 1] },
    },
  },
  readWebhook: {
    request: ({ webhook }) => ({ parameters: { id: webhook.id } }),
    foreign: { id: ({ webhook }) => [webhook.id] },
    measured: {
      'by id': { request: ({ webhook }) => byId(webhook), cost: [1, 1, 1] },
    },
  },
  createWebhook: {
    request: () => ({ body: { url: 'https://example.com/webhooks', eventTypes: ['link.deleted'] } }),
    foreign: {},
    measured: {
      'of all events': {
        request: () => ({ body: { url: 'https://example.com/', eventTypes: ['*'] } }),
        cost: [2, 1, 5],
      },
    },
  },
  updateWebhook: {
    request: () => ({ body: { webhookId: randomUUID(), description: 'Shop' } }),
    foreign: { webhookId: ({ webhook }) => [webhook.id] },
    measured: {
      description: {
        request: ({ webhook }) => ({ body: { webhookId: webhook.id, description: unused() } }),
        cost: [2, 1, 3],
      },
    },
  },
  deleteWebhook: {
    request: () => ({ body: { webhookId: randomUUID() } }),
    foreign: { webhookId: ({ webhook }) => [webhook.id] },
    measured: {
      'by id': { request: async (world) => ({ body: { webhookId: (await newWebhook(world)).id } }), cost: [2, 1, 7] },
    },
  },
  rotateWebhookSecret: {
    request: ({ webhook }) => ({ body: { webhookId: webhook.id } }),
    foreign: { webhookId: ({ webhook }) => [webhook.id] },
    measured: {
      'by id': { request: ({ webhook }) => ({ body: { webhookId: webhook.id } }), cost: [2, 1, 5] },
    },
  },
  testWebhook: {
    request: ({ webhook }) => ({ body: { webhookId: webhook.id } }),
    foreign: { webhookId: ({ webhook }) => [webhook.id] },
    measured: {
      'by id': { request: ({ webhook }) => ({ body: { webhookId: webhook.id } }), cost: [3, 2, 13] },
    },
  },
} satisfies SamplesOf<typeof webhookOperations | typeof secretRotationOperations | typeof webhookTestOperations>;
