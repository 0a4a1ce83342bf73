import { randomUUID } from 'node:crypto';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import type { Outside } from '../../shared/webhooks/delivery/deliver.ts';
import type { DeliveryMessage } from '../../shared/webhooks/delivery/delivery-message.ts';
import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries, events } from '../../shared/webhooks/delivery/repository.ts';
import type { Posted, Posting } from '../../shared/webhooks/delivery/send.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { makeStoredDelivery } from '../webhooks/fixtures.ts';
import { at, now } from './domain.ts';

// What tests of webhooks begin with, without a stack: a stored program, endpoints, and a receiver that is a function.

/** A program with a record, on the BUSINESS plan unless told otherwise. */
export const storeProgram = async (plan: 'FREE' | 'BUSINESS' = 'BUSINESS') => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  const { programId } = await createProgram({ name: 'Acme', ownerEmail, plan }, now);
  return { ...(await getProgram(programId)), ownerEmail };
};

/** An endpoint for all events that has responded before; `overrides` are written as an edit. */
export const storeWebhook = async (
  programId: string,
  overrides: Partial<StoredWebhook> = {},
  connection: StoredWebhook['connection'] = null,
): Promise<StoredWebhook> => {
  const body = { url: `https://example.com/${randomUUID()}`, eventTypes: ['*' as const], active: true };
  const webhook = await createWebhook(programId, body, new Date(at(-60_000)), connection);
  const stored = { ...webhook, isResponsive: true, ...overrides };
  await writeTogether(webhooks.updateWrites(programId, webhook, stored, { isEdit: false }));
  return stored;
};

/** A delivery to an endpoint with its event, and the message that asks for its next attempt. */
export const storeDelivery = async (
  programId: string,
  { id: webhookId }: StoredWebhook,
  overrides: Partial<StoredDelivery> = {},
): Promise<{ delivery: StoredDelivery; message: DeliveryMessage }> => {
  const eventId = randomUUID();
  const fields = { createdAt: at(-1000), updatedAt: at(-1000), ttl: now.getTime() / 1000 + 1000 };
  const event = { ...fields, id: eventId, version: 1, type: 'coupon.created', body: '{}' };
  const delivery = makeStoredDelivery({
    ...fields,
    id: randomUUID(),
    eventId,
    webhookId,
    nextAttemptAt: at(-1000),
    ...overrides,
  });
  await writeTogether([...events.createWrites(programId, event), ...deliveries.createWrites(programId, delivery)]);
  const attempt = delivery.attempts.length + 1;
  return { delivery, message: { programId, deliveryId: delivery.id, eventId, webhookId, attempt } };
};

/** An attempt that failed. */
export const failedAttempt = {
  attemptedAt: at(-1000),
  durationMilliseconds: 10,
  responseStatus: 500,
  responseBody: '',
  error: 'returned 500',
};

/** A world in which every endpoint responds like that, and in which it is `now`. */
export const responding = (
  response: Partial<Posted> = {},
  meanwhile: () => Promise<unknown> = async () => {},
): Outside & { posted: Posting[] } => {
  const posted: Posting[] = [];
  return {
    posted,
    now: () => now,
    random: () => 0.5,
    post: async (posting) => {
      posted.push(posting);
      await meanwhile();
      return { status: 200, body: 'ok', retryAfter: undefined, error: null, ...response };
    },
  };
};
