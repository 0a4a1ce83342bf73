import { ApiError } from '../contract/errors.ts';
import { expectVersion, whileChanging } from '../table/record-store.ts';
import { writeTogether } from '../table/transaction.ts';
import { webhooks } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

/**
 * Deletes an endpoint and answers what it was; 404 when there is none, 412 when it is not the edit that was read. What
 * waits for it is dropped when it is due. Decisions 1.11.
 */
export const deleteWebhook = (programId: string, webhookId: string, expectedVersion?: number): Promise<StoredWebhook> =>
  whileChanging(async () => {
    const webhook = await webhooks.get(programId, webhookId);
    if (!webhook) throw new ApiError('not_found', 'Webhook not found');
    expectVersion(webhook, expectedVersion);
    await writeTogether(webhooks.removal(programId, webhook));
    return webhook;
  });
