import * as z from 'zod';
import { recordStore } from '../table/record-store.ts';
import { StoredDelivery } from './delivery-rules.ts';
import { mostWebhooks, StoredWebhook } from './rules.ts';

/** Thrown when another endpoint took the same place in between; the caller takes another. */
export class SlotTaken extends Error {
  override name = 'SlotTaken';
}

/** The endpoints of programs. Their places are unique values, which is what keeps a program to 50 of them. */
export const webhooks = recordStore({
  table: 'records',
  kind: 'WEBHOOK',
  schema: StoredWebhook,
  uniques: ({ slot }) => [
    { name: 'SLOT', value: String(slot), refusal: () => new SlotTaken(`Place ${slot} is taken`) },
  ],
});

/** Every endpoint of a program, in one read. */
export const allWebhooks = async (programId: string): Promise<readonly StoredWebhook[]> =>
  (await webhooks.page(programId, { limit: mostWebhooks })).items;

/** An event as it was when it was made: `body` is what every attempt of every delivery sends, byte for byte. */
export const StoredEvent = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  /** Seconds since the epoch, when the table may forget it. */
  ttl: z.number(),
  type: z.string(),
  body: z.string(),
});
export type StoredEvent = z.infer<typeof StoredEvent>;

/** Index entry of the events of a type. */
const eventsOfType = (type: string) => ({ index: 'GSI1', parts: ['TYPE', type] }) as const;

export const events = recordStore({
  table: 'traffic',
  kind: 'EVENT',
  schema: StoredEvent,
  indexes: ({ type }) => [eventsOfType(type)],
});

/** Index entries of deliveries by endpoint and by event. */
const deliveriesTo = (webhookId: string) => ({ index: 'GSI1', parts: ['WEBHOOK', webhookId] }) as const;
const deliveriesOf = (eventId: string) => ({ index: 'GSI2', parts: ['EVENT', eventId] }) as const;

export const deliveries = recordStore({
  table: 'traffic',
  kind: 'DELIVERY',
  schema: StoredDelivery,
  indexes: ({ webhookId, eventId }) => [deliveriesTo(webhookId), deliveriesOf(eventId)],
});
