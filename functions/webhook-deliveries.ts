import { requireRecord } from '../shared/contract/errors.ts';
import { webhookDeliveryOperations } from '../shared/contract/webhook-deliveries.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';
import { listDeliveries } from '../shared/webhooks/delivery/list-deliveries.ts';
import { deliveries, isVisible } from '../shared/webhooks/delivery/repository.ts';
import { deliveryResponse } from '../shared/webhooks/delivery/responses.ts';
import { pageOfKept } from '../shared/webhooks/endpoints/retention.ts';

const readOne = async (programId: string, id: string, now: Date) => {
  const delivery = await deliveries.get(programId, id);
  return deliveryResponse(requireRecord(delivery && isVisible(delivery, now) ? delivery : undefined, 'Delivery'));
};

export const handler = apiPath(webhookDeliveryOperations, {
  readWebhookDelivery: ({ program, parameters, now }) => readOne(program.id, parameters.id.value, now),
  listWebhookDeliveries: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return readOne(program.id, selector.value, now);
    return (await listDeliveries(program.id, query, pageOfKept(page, now))).map(deliveryResponse);
  },
});
