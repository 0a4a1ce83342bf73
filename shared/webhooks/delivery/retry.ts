import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { send } from '../../platform/queue/send.ts';
import { activeWebhook, refuseInactive } from '../endpoints/active-webhook.ts';
import { webhooks } from '../endpoints/repository.ts';
import { keptSince } from '../endpoints/retention.ts';
import { attemptByHand } from './delivery-message.ts';
import type { StoredDelivery } from './delivery-rules.ts';
import type { RedeliveryMessage } from './redelivery-message.ts';
import { deliveries, isVisible } from './repository.ts';

/** 404 if there is none, 409 if its endpoint is inactive or deleted. docs/behavior.md#redelivery */
export const retryDelivery = async (programId: string, deliveryId: string, now: Date): Promise<StoredDelivery> => {
  const found = await deliveries.get(programId, deliveryId);
  const delivery = requireRecord(found && isVisible(found, now) ? found : undefined, 'Delivery');
  const webhook = await webhooks.get(programId, delivery.webhookId);
  if (!webhook) throw new ApiError('conflict', 'The endpoint of this delivery was deleted');
  refuseInactive(webhook);
  const byHand = { requestedAt: now.toISOString(), isForUndeliveredOnly: false };
  const { message, groupId } = attemptByHand(programId, delivery, byHand);
  await send('deliveries', message, groupId);
  return delivery;
};

/** 404, 409 if it is inactive, 400 if `since` is outside the retention. docs/behavior.md#redelivery */
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
