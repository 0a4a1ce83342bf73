import { ApiError } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { webhooks } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

/** 404 if there is none. Waiting deliveries are dropped when they are due. */
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
