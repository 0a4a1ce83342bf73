import type { deliveryRetryOperations, webhookDeliveryOperations } from '../../shared/contract/webhook-deliveries.ts';
import { byId } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const webhookDeliverySamples = {
  listWebhookDeliveries: {
    request: () => ({}),
    foreign: {
      id: ({ delivery }) => [delivery.id],
      webhookId: ({ webhook }) => [webhook.id],
      eventId: ({ delivery }) => [delivery.eventId],
      cursor: async (world) => [await cursorOf(world, '/webhook-deliveries')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] },
      'by webhook': { request: ({ webhook }) => ({ query: { webhookId: webhook.id, limit: '1' } }), cost: [2, 1.5, 1] },
    },
  },
  readWebhookDelivery: {
    request: ({ delivery }) => ({ parameters: { id: delivery.id } }),
    foreign: { id: ({ delivery }) => [delivery.id] },
    measured: {
      'by id': { request: ({ delivery }) => byId(delivery), cost: [1, 1, 1] },
    },
  },
  retryWebhookDeliveries: {
    request: ({ delivery }) => ({ body: { deliveryId: delivery.id } }),
    foreign: { deliveryId: ({ delivery }) => [delivery.id], webhookId: ({ webhook }) => [webhook.id] },
    measured: {
      'one delivery': { request: ({ delivery }) => ({ body: { deliveryId: delivery.id } }), cost: [3, 2, 1] },
    },
  },
} satisfies SamplesOf<typeof webhookDeliveryOperations | typeof deliveryRetryOperations>;
