import { deleteRecord } from '../../platform/table/edit.ts';
import { findOwnWebhook, webhooks } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

/** 404 if there is none. A worker cancels what waits for it. */
export const deleteWebhook = (
  programId: string,
  webhookId: string,
  now: Date,
  expectedVersions?: readonly number[],
): Promise<StoredWebhook> =>
  deleteRecord(
    webhooks,
    { programId, find: () => findOwnWebhook(programId, webhookId), noun: 'Webhook', expectedVersions },
    ({ id }) => [webhooks.revocationWrite(programId, id, now)],
  );
