import { requireRecord } from '../shared/contract/errors.ts';
import { deliveryPages } from '../shared/contract/pages/deliveries.ts';
import { deliveryPath, deliveryView } from '../shared/web/pages/deliveries.tsx';
import { redirect } from '../shared/web/responses.ts';
import { webArea } from '../shared/web/web.ts';
import { deliveries, events, isVisible } from '../shared/webhooks/delivery/repository.ts';
import { deliveryResponse } from '../shared/webhooks/delivery/responses.ts';
import { retryDelivery } from '../shared/webhooks/delivery/retry.ts';
import { webhooks } from '../shared/webhooks/endpoints/repository.ts';

/** A delivery of that endpoint that is still kept; the log forgets after 30 days. */
const readDelivery = async (programId: string, webhookId: string, deliveryId: string, now: Date) => {
  const found = await deliveries.get(programId, deliveryId);
  return requireRecord(found?.webhookId === webhookId && isVisible(found, now) ? found : undefined, 'Delivery');
};

export const handler = webArea(deliveryPages, {
  showDelivery: async ({ session, account, program, parameters: { webhookId, deliveryId }, query, now }) => {
    const delivery = await readDelivery(program.id, webhookId, deliveryId, now);
    const [webhook, event] = await Promise.all([
      webhooks.get(program.id, webhookId),
      events.get(program.id, delivery.eventId),
    ]);
    return deliveryView({ session, programId: program.id, plan: account.plan }, deliveryResponse(delivery), {
      webhook,
      sent: event?.body,
      askedAt: query.asked,
    });
  },

  resendDelivery: async ({ program, parameters: { webhookId, deliveryId }, now }) => {
    await readDelivery(program.id, webhookId, deliveryId, now);
    await retryDelivery(program.id, deliveryId, now);
    return redirect(`${deliveryPath(program.id, webhookId, deliveryId)}?asked=${now.toISOString()}`);
  },
});
