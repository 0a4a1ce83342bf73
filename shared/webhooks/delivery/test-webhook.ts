import { eventCatalogue } from '../../../events/catalogue.ts';
import { webhookTestEvent } from '../../../events/webhook-test.ts';
import { actorFrom } from '../../contract/actor.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { testWebhook as operation } from '../../contract/webhooks.ts';
import { send } from '../../platform/queue/send.ts';
import { currentWriter } from '../../platform/table/actor.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { activeWebhook } from '../endpoints/active-webhook.ts';
import { appendWrites } from '../feed/append.ts';
import { firstAttempt } from './delivery-message.ts';
import { newDelivery, type StoredDelivery } from './delivery-rules.ts';
import { deliveries, events, storedEvent } from './repository.ts';

const begin = async (programId: string, delivery: StoredDelivery): Promise<StoredDelivery> => {
  const { message, groupId } = firstAttempt(programId, delivery);
  await send('deliveries', message, groupId);
  return delivery;
};

/** Uses the usual queue; 404 without such an endpoint, 409 if it is inactive. docs/behavior.md#test-events */
export const testWebhook = async (
  programId: string,
  { webhookId, eventType }: BodyOf<typeof operation>,
  now: Date,
  { existingRecordId, recordCreated } = notIdempotent,
): Promise<StoredDelivery> => {
  const madeId = await existingRecordId();
  const made = madeId && (await deliveries.get(programId, madeId));
  // The earlier request may have died before it sent the message; a second message is no second attempt.
  if (made) return begin(programId, made);
  const example = eventCatalogue.find(({ type }) => type === eventType)?.example ?? null;
  const event = webhookTestEvent(newRecordId(now), webhookId, example, now, actorFrom(currentWriter()?.by));
  const delivery = await retryOnConflict(async () => {
    const [webhook, feedWrites] = await Promise.all([
      activeWebhook(programId, webhookId),
      appendWrites(programId, event, now),
    ]);
    const created = newDelivery(event, webhook);
    await writeTogether([
      ...events.createWrites(programId, storedEvent(event)),
      ...deliveries.createWrites(programId, created),
      ...recordCreated(created.id),
      ...feedWrites,
    ]);
    return created;
  });
  // If this fails, so does the request; the delivery can be sent manually.
  return begin(programId, delivery);
};
