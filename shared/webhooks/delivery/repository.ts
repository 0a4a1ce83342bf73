import * as z from 'zod';
import type { RecordEvent } from '../../../events/family.ts';
import type { DeliveryStatus } from '../../contract/webhook-deliveries.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { expiryOf, isKept } from '../endpoints/retention.ts';
import { isUndelivered, StoredDelivery } from './delivery-rules.ts';

/** `body` is what every attempt sends, byte for byte. */
export const StoredEvent = z.object({
  ...storedFields,
  ttl: z.number(),
  type: z.string(),
  body: z.string(),
  /** The newest segment of the feed before the event was stored. */
  feedAfter: z.number().optional(),
});
export type StoredEvent = z.infer<typeof StoredEvent>;

/** An event is stored up to a day after its time, and its place in the feed lasts 30 days from then. */
const keptForFeedSeconds = 2 * 24 * 60 * 60;

export const storedEvent = ({ id, type, timestamp, body }: RecordEvent, feedAfter?: number): StoredEvent => ({
  id,
  createdAt: timestamp,
  updatedAt: timestamp,
  version: 1,
  ttl: expiryOf(timestamp) + keptForFeedSeconds,
  type,
  body,
  ...(feedAfter !== undefined && { feedAfter }),
});

export const eventsOfType = (type: string) => ({ index: 'GSI1', parts: ['TYPE', type] }) as const;

export const events = recordStore({
  table: 'traffic',
  kind: 'EVENT',
  schema: StoredEvent,
  indexes: ({ type }) => [eventsOfType(type)],
});

/** See docs/behavior.md#subscriptions */
export const isVisible = (delivery: StoredDelivery, now: Date): boolean =>
  delivery.connection === null && isKept(delivery, now);

export const deliveriesTo = (webhookId: string) => ({ index: 'GSI1', parts: ['WEBHOOK', webhookId] }) as const;
export const deliveriesOf = (eventId: string) => ({ index: 'GSI2', parts: ['EVENT', eventId] }) as const;
export const deliveriesThatAre = (status: Exclude<DeliveryStatus, 'SUCCEEDED'>) =>
  ({ index: 'GSI3', parts: ['STATUS', status] }) as const;
export const undeliveredTo = (webhookId: string) => ({ index: 'GSI4', parts: ['UNDELIVERED', webhookId] }) as const;

/** The last two indexes are sparse: most deliveries succeed at once and never enter or soon leave them. */
export const deliveries = recordStore({
  table: 'traffic',
  kind: 'DELIVERY',
  schema: StoredDelivery,
  indexes: (delivery) => [
    deliveriesTo(delivery.webhookId),
    deliveriesOf(delivery.eventId),
    ...(delivery.status === 'SUCCEEDED' ? [] : [deliveriesThatAre(delivery.status)]),
    ...(isUndelivered(delivery) ? [undeliveredTo(delivery.webhookId)] : []),
  ],
});
