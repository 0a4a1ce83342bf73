import type { subscribe as operation } from '../../contract/connector-webhooks.ts';
import { ApiError, requireRecord } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { apiKeys } from '../../domain/programs/repository.ts';
import { RecordChanged, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { createWebhook } from './create-webhook.ts';
import { AlreadySubscribed, allWebhooks, findSubscription, webhooks } from './repository.ts';
import { changedWebhook, type StoredWebhook } from './rules.ts';

/** The triggers of automation platforms: endpoints that only the connector makes, sees and ends. Decisions, section 6. */

const switchedOn = async (programId: string, webhook: StoredWebhook, now: Date): Promise<StoredWebhook> => {
  if (webhook.active) return webhook;
  const changed = changedWebhook(webhook, { active: true }, now);
  await writeTogether(webhooks.change(programId, webhook, changed));
  return { ...changed, version: webhook.version + 1 };
};

/**
 * Subscribes an address to events. The same address and types again are the same subscription, also when both come at
 * once. The key must still be there when it is written: what ends with a connection cannot begin after it.
 */
export const subscribe = (
  { programId, keyId }: { programId: string; keyId: string },
  { url, eventTypes }: BodyOf<typeof operation>,
  now: Date,
): Promise<StoredWebhook> =>
  whileChanging(async () => {
    const existing = await findSubscription(programId, { url, eventTypes });
    if (existing) return switchedOn(programId, existing, now);
    const keyIsThere = apiKeys.presence(programId, keyId, () => new ApiError('invalid_token'));
    try {
      return await createWebhook(programId, { url, eventTypes, active: true }, now, 'CONNECTOR', () => [keyIsThere]);
    } catch (error) {
      throw error instanceof AlreadySubscribed ? new RecordChanged(error.message) : error;
    }
  });

/** The subscriptions of a program, newest first. */
export const allSubscriptions = async (programId: string): Promise<StoredWebhook[]> =>
  (await allWebhooks(programId)).filter(({ connection }) => connection === 'CONNECTOR');

/** A subscription; 404 when there is none. An endpoint that was not made through the connector is none. */
export const getSubscription = async (programId: string, id: string): Promise<StoredWebhook> => {
  const webhook = await webhooks.get(programId, id);
  return requireRecord(webhook?.connection === 'CONNECTOR' ? webhook : undefined, 'Subscription');
};

/** Ends a subscription; 404 when there is none, or none any more. What waits for it is dropped when it is due. */
export const unsubscribe = (programId: string, id: string): Promise<void> =>
  whileChanging(async () => writeTogether(webhooks.removal(programId, await getSubscription(programId, id))));
