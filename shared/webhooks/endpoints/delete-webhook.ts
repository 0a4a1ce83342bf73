import { ApiError } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { webhooks } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

/** Deletes an endpoint and answers what it was; 404 when there is none. What waits for it is dropped when it is due. */
export const deleteWebhook = (
  programId: string,
  webhookId: string,
  expectedVersions?: readonly number[],
): Promise<StoredWebhook> =>
  whileChanging(async () => {
    const webhook = await webhooks.get(programId, webhookId);
    if (!webhook) throw new ApiError('not_found', 'Webhook not found');
    expectVersion(webhook, expectedVersions);
    await writeTogether(webhooks.removal(programId, webhook));
    return webhook;
  });
