import { eventCatalogue } from '../../events/catalogue.ts';
import { webhookTestEvent } from '../../events/webhook-test.ts';
import type { BodyOf } from '../contract/operation.ts';
import type { testWebhook as operation } from '../contract/webhooks.ts';
import { send } from '../queue/send.ts';
import { newRecordId } from '../table/record-id.ts';
import { writeTogether } from '../table/transaction.ts';
import { activeWebhook } from './active-webhook.ts';
import { firstAttempt } from './delivery-message.ts';
import { newDelivery, type StoredDelivery } from './delivery-rules.ts';
import { deliveries, events, storedEvent } from './repository.ts';

/**
 * Sends a test event to one endpoint through the usual queue, and answers its delivery. 404 when there is no such
 * endpoint, 409 when it is not active. Decisions, section 2.
 */
export const testWebhook = async (
  programId: string,
  { webhookId, eventType }: BodyOf<typeof operation>,
  now: Date,
): Promise<StoredDelivery> => {
  const webhook = await activeWebhook(programId, webhookId);
  const example = eventCatalogue.find(({ type }) => type === eventType)?.example ?? null;
  const event = webhookTestEvent(newRecordId(now), webhook.id, example, now);
  const delivery = newDelivery(event, webhook.id);
  await writeTogether([...events.creation(programId, storedEvent(event)), ...deliveries.creation(programId, delivery)]);
  // Should this fail, so does the request; the delivery that nobody was told of can still be sent by hand.
  const { message, groupId } = firstAttempt(programId, delivery);
  await send('deliveries', message, groupId);
  return delivery;
};
