import * as z from 'zod';
import type { RecordEvent } from '../../../events/family.ts';
import type { DeliveryStatus } from '../../contract/webhook-deliveries.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { expiryOf } from '../endpoints/retention.ts';
import { isUndelivered, StoredDelivery } from './delivery-rules.ts';

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

/** An event as the table keeps it. */
export const storedEvent = ({ id, type, timestamp, body }: RecordEvent): StoredEvent => ({
  id,
  createdAt: timestamp,
  updatedAt: timestamp,
  version: 1,
  ttl: expiryOf(timestamp),
  type,
  body,
});

/** Index entry of the events of a type. */
export const eventsOfType = (type: string) => ({ index: 'GSI1', parts: ['TYPE', type] }) as const;

export const events = recordStore({
  table: 'traffic',
  kind: 'EVENT',
  schema: StoredEvent,
  indexes: ({ type }) => [eventsOfType(type)],
});

/** Index entries of deliveries by endpoint, by event, by a status other than SUCCEEDED, and by endpoint that misses them. */
export const deliveriesTo = (webhookId: string) => ({ index: 'GSI1', parts: ['WEBHOOK', webhookId] }) as const;
export const deliveriesOf = (eventId: string) => ({ index: 'GSI2', parts: ['EVENT', eventId] }) as const;
export const deliveriesThatAre = (status: Exclude<DeliveryStatus, 'SUCCEEDED'>) =>
  ({ index: 'GSI3', parts: ['STATUS', status] }) as const;
export const undeliveredTo = (webhookId: string) => ({ index: 'GSI4', parts: ['UNDELIVERED', webhookId] }) as const;

/**
 * The last two indexes are sparse, because nearly every delivery succeeds at its first attempt: by then it has left the
 * third, and it never was in the fourth, whose entry is written once and does not move while a delivery fails on.
 */
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
