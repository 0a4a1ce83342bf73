import { editRecord } from '../../platform/table/edit.ts';
import { type IdempotencyContext, notIdempotent } from '../../platform/table/idempotency-context.ts';
import { findOwnWebhook, webhooks } from './repository.ts';
import { type StoredWebhook, withNewSecret } from './rules.ts';
import { newEncryptedSecret } from './secrets.ts';

/** 404 if there is none. docs/behavior.md#signatures */
export const rotateSecret = (
  programId: string,
  webhookId: string,
  now: Date,
  { existingRecordId, recordCreated }: Pick<IdempotencyContext, 'existingRecordId' | 'recordCreated'> = notIdempotent,
): Promise<StoredWebhook> =>
  editRecord(
    webhooks,
    { programId, find: () => findOwnWebhook(programId, webhookId), noun: 'Webhook' },
    async (webhook) => {
      // A second rotation would end the secret that the receiver still knows.
      if (await existingRecordId()) return undefined;
      const rotated = withNewSecret(webhook, await newEncryptedSecret(programId, webhookId), now);
      return { after: rotated, writes: recordCreated(webhookId) };
    },
  );
