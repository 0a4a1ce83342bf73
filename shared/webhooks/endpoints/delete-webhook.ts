import { deleteRecord } from '../../platform/table/edit.ts';
import { findOwnWebhook, webhooks } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

/** 404 if there is none. Waiting deliveries are dropped when they are due. */
export const deleteWebhook = (
  programId: string,
  webhookId: string,
  expectedVersions?: readonly number[],
): Promise<StoredWebhook> =>
  deleteRecord(webhooks, {
    programId,
    find: () => findOwnWebhook(programId, webhookId),
    noun: 'Webhook',
    expectedVersions,
  });
