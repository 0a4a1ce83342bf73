import type { BodyOf } from '../../contract/operation.ts';
import type { createWebhook as operation } from '../../contract/webhooks.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { webhooks } from './repository.ts';
import { type StoredWebhook, slotsFor } from './rules.ts';
import { newEncryptedSecret } from './secrets.ts';
import { refuseUrl } from './url-rules.ts';

/** 400 for a refused URL or if all slots are taken. docs/behavior.md#endpoint-urls */
export const createWebhook = async (
  programId: string,
  body: BodyOf<typeof operation>,
  now: Date,
  connection: StoredWebhook['connection'] = null,
  together: (webhookId: string) => readonly Write[] = () => [],
): Promise<StoredWebhook> => {
  refuseUrl(body.url);
  const at = now.toISOString();
  const id = newRecordId(now);
  const webhook: Omit<StoredWebhook, 'slot'> = {
    id,
    createdAt: at,
    updatedAt: at,
    version: 1,
    url: body.url,
    eventTypes: [...new Set(body.eventTypes)],
    description: body.description ?? null,
    active: body.active,
    deactivationReason: null,
    deactivatedAt: null,
    connection,
    sealedSecret: await newEncryptedSecret(programId, id),
    previousSealedSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    isResponsive: false,
    missedSince: null,
    missedUntil: null,
    seenBy: [],
  };
  return withFreeSlot(webhooks, programId, slotsFor(connection), async (slot) => {
    const placed = { ...webhook, slot };
    await writeTogether([...webhooks.createWrites(programId, placed), ...together(placed.id)]);
    return placed;
  });
};
