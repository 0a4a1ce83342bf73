import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { send } from '../../platform/queue/send.ts';
import { activeWebhook, refuseInactive } from '../endpoints/active-webhook.ts';
import { webhooks } from '../endpoints/repository.ts';
import { isKept, keptSince } from '../endpoints/retention.ts';
import { attemptByHand } from './delivery-message.ts';
import type { StoredDelivery } from './delivery-rules.ts';
import type { RedeliveryMessage } from './redelivery-message.ts';
import { deliveries } from './repository.ts';

/**
 * Asks for an attempt of a delivery at once, beside its schedule. 404 when there is no such delivery, 409 when its
 * endpoint is switched off or deleted. Decisions, section 2.
 */
export const retryDelivery = async (programId: string, deliveryId: string, now: Date): Promise<StoredDelivery> => {
  const found = await deliveries.get(programId, deliveryId);
  const delivery = requireRecord(found && isKept(found, now) ? found : undefined, 'Delivery');
  const webhook = await webhooks.get(programId, delivery.webhookId);
  if (!webhook) throw new ApiError('conflict', 'The endpoint of this delivery was deleted');
  refuseInactive(webhook);
  const byHand = { requestedAt: now.toISOString(), isForUndeliveredOnly: false };
  const { message, groupId } = attemptByHand(programId, delivery, byHand);
  await send('deliveries', message, groupId);
  return delivery;
};

/**
 * Asks for an attempt of everything that an endpoint has missed since a moment, in the background. 404 when there is no
 * such endpoint, 409 when it is switched off, 400 when the moment is not within what is kept. Decisions, section 2.
 */
export const retryDeliveriesSince = async (
  programId: string,
  webhookId: string,
  since: string,
  now: Date,
): Promise<void> => {
  if (since < keptSince(now) || since > now.toISOString())
    throw fieldError('since', 'since must lie within the last 30 days');
  await activeWebhook(programId, webhookId);
  const message: RedeliveryMessage = { programId, webhookId, since, requestedAt: now.toISOString(), step: 'FAILED' };
  await send('redeliveries', message, webhookId);
};
