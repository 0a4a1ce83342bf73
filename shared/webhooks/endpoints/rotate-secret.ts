import { requireRecord } from '../../contract/errors.ts';
import { whileChanging } from '../../platform/table/record-store.ts';
import { notRepeatable, type Repetition } from '../../platform/table/repetition.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { webhooks } from './repository.ts';
import { type StoredWebhook, withNewSecret } from './rules.ts';
import { newSealedSecret } from './secrets.ts';

/** 404 if there is none. docs/behavior.md#signatures */
export const rotateSecret = (
  programId: string,
  webhookId: string,
  now: Date,
  { madeBefore, note }: Pick<Repetition, 'madeBefore' | 'note'> = notRepeatable,
): Promise<StoredWebhook> =>
  whileChanging(async () => {
    const webhook = requireRecord(await webhooks.get(programId, webhookId), 'Webhook');
    // A second rotation would end the secret that the receiver still knows.
    if (await madeBefore()) return webhook;
    const rotated = withNewSecret(webhook, await newSealedSecret(programId, webhookId), now);
    await writeTogether([...webhooks.change(programId, webhook, rotated), ...note(webhookId)]);
    return { ...rotated, version: webhook.version + 1 };
  });
