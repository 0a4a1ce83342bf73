import type { BodyOf } from '../../contract/operation.ts';
import type { updateWebhook as operation } from '../../contract/webhooks.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { findOwnWebhook, webhooks } from './repository.ts';
import { changedWebhook, type StoredWebhook } from './rules.ts';
import { refuseUrl } from './url-rules.ts';

/** 404 if there is none, 400 for a refused URL. docs/behavior.md#endpoint-urls */
export const updateWebhook = (
  programId: string,
  { webhookId, ...fields }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredWebhook> =>
  editRecord(
    webhooks,
    { programId, find: () => findOwnWebhook(programId, webhookId), noun: 'Webhook', expectedVersions },
    (webhook) => {
      if (fields.url !== undefined) refuseUrl(fields.url);
      return { after: changedWebhook(webhook, fields, now) };
    },
  );
