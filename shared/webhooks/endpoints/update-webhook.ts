import { requireRecord } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updateWebhook as operation } from '../../contract/webhooks.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { webhooks } from './repository.ts';
import { changedWebhook, type StoredWebhook } from './rules.ts';
import { refuseUrl } from './url-rules.ts';

/** 404 if there is none, 400 for a refused URL. docs/behavior.md#endpoint-urls */
export const updateWebhook = (
  programId: string,
  body: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredWebhook> =>
  whileChanging(async () => {
    const { webhookId, ...fields } = body;
    const webhook = requireRecord(await webhooks.get(programId, webhookId), 'Webhook');
    expectVersion(webhook, expectedVersions);
    if (fields.url !== undefined) refuseUrl(fields.url);
    const changed = changedWebhook(webhook, fields, now);
    await writeTogether(webhooks.change(programId, webhook, changed));
    return { ...changed, version: webhook.version + 1 };
  });
