import type { subscribe as operation } from '../../contract/connector-webhooks.ts';
import { ApiError, requireRecord } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { apiKeys } from '../../domain/programs/repository.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { createWebhook } from './create-webhook.ts';
import { AlreadySubscribed, allWebhooks, findSubscription, webhooks } from './repository.ts';
import { changedWebhook, type StoredWebhook } from './rules.ts';

/** See docs/behavior.md#subscriptions */

const switchedOn = async (programId: string, webhook: StoredWebhook, now: Date): Promise<StoredWebhook> => {
  if (webhook.active) return webhook;
  const changed = changedWebhook(webhook, { active: true }, now);
  await writeTogether(webhooks.updateWrites(programId, webhook, changed));
  return { ...changed, version: webhook.version + 1 };
};

/** Concurrent duplicates are one subscription. The key must still exist when it is written. */
export const subscribe = (
  { programId, keyId }: { programId: string; keyId: string },
  { url, eventTypes }: BodyOf<typeof operation>,
  now: Date,
): Promise<StoredWebhook> =>
  retryOnConflict(async () => {
    const existing = await findSubscription(programId, { url, eventTypes });
    if (existing) return switchedOn(programId, existing, now);
    const keyIsThere = apiKeys.existsCheck(programId, keyId, () => new ApiError('invalid_token'));
    try {
      return await createWebhook(programId, { url, eventTypes, active: true }, now, 'CONNECTOR', () => [keyIsThere]);
    } catch (error) {
      throw error instanceof AlreadySubscribed ? new ConcurrentModificationError(error.message) : error;
    }
  });

export const allSubscriptions = async (programId: string): Promise<StoredWebhook[]> =>
  (await allWebhooks(programId)).filter(({ connection }) => connection === 'CONNECTOR');

/** 404 if there is none or the connector did not create it. */
export const getSubscription = async (programId: string, id: string): Promise<StoredWebhook> => {
  const webhook = await webhooks.get(programId, id);
  return requireRecord(webhook?.connection === 'CONNECTOR' ? webhook : undefined, 'Subscription');
};

/** 404 if there is none. Waiting deliveries are dropped when they are due. */
export const unsubscribe = (programId: string, id: string, now: Date): Promise<void> =>
  retryOnConflict(async () =>
    writeTogether([
      ...webhooks.deleteWrites(programId, await getSubscription(programId, id)),
      webhooks.revocationWrite(programId, id, now),
    ]),
  );
