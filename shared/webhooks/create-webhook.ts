import { randomInt } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import type { BodyOf } from '../contract/operation.ts';
import type { createWebhook as operation } from '../contract/webhooks.ts';
import { newRecordId } from '../table/record-id.ts';
import { type Write, writeTogether } from '../table/transaction.ts';
import { allWebhooks, SlotTaken, webhooks } from './repository.ts';
import { mostWebhooks, placesFor, type StoredWebhook } from './rules.ts';
import { newSealedSecret } from './secrets.ts';
import { refuseUrl } from './url-rules.ts';

const freeSlot = async (programId: string, connection: StoredWebhook['connection']): Promise<number> => {
  const { slots, whenFull } = placesFor(connection);
  const taken = new Set((await allWebhooks(programId)).map(({ slot }) => slot));
  const free = slots.filter((slot) => !taken.has(slot));
  // Any of them: requests that come together would all want the first.
  const slot = free.length > 0 ? free[randomInt(free.length)] : undefined;
  if (slot === undefined) throw new ApiError('bad_request', whenFull);
  return slot;
};

/**
 * Creates an endpoint, where the given conditions hold. 400 for an address that webhooks may not go to, and when
 * the program has all the endpoints that it may have. Decisions, section 4.
 */
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
    sealedSecret: await newSealedSecret(programId, id),
    previousSealedSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    missedSince: null,
    missedUntil: null,
  };
  for (let attempt = 1; ; attempt++) {
    const placed = { ...webhook, slot: await freeSlot(programId, connection) };
    try {
      await writeTogether([...webhooks.creation(programId, placed), ...together(placed.id)]);
      return placed;
    } catch (error) {
      if (!(error instanceof SlotTaken) || attempt === mostWebhooks) throw error;
    }
  }
};
