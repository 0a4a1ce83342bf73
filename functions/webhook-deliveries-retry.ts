import { deliveryRetryOperations } from '../shared/contract/webhook-deliveries.ts';
import { apiPath } from '../shared/http/api.ts';
import { retryDeliveriesSince, retryDelivery } from '../shared/webhooks/delivery/retry.ts';

export const handler = apiPath(deliveryRetryOperations, {
  retryWebhookDeliveries: async ({ program, body: { deliveryId, webhookId = '', since = '' }, now }) => {
    if (deliveryId === undefined) {
      await retryDeliveriesSince(program.id, webhookId, since, now);
      return { message: 'The deliveries are being sent again', webhookId, since };
    }
    const delivery = await retryDelivery(program.id, deliveryId, now);
    return { message: 'The delivery is being sent again', webhookId: delivery.webhookId, deliveryId };
  },
});
