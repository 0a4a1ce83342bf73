import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RecordEvent } from '../../events/family.ts';
import { ApiError } from '../contract/errors.ts';
import type { DeliveryStatus } from '../contract/webhook-deliveries.ts';
import { recordStore } from '../platform/table/record-store.ts';
import { slotOf } from '../platform/table/slots.ts';
import { expiryOf, isUndelivered, StoredDelivery } from './delivery-rules.ts';
import { mostWebhooks, StoredWebhook } from './rules.ts';

/** Thrown when an automation platform has a subscription of the same address and types. */
export class AlreadySubscribed extends ApiError {
  override name = 'AlreadySubscribed';
}

type Subscription = Pick<StoredWebhook, 'url' | 'eventTypes'>;

/** A hash, since an address can be longer than a key. */
const subscriptionValue = ({ url, eventTypes }: Subscription): string =>
  createHash('sha256')
    .update([url, ...[...new Set(eventTypes)].sort()].join('\n'))
    .digest('base64url');

/** The endpoints of programs. Their slots are unique values, which is what keeps them to a number. */
export const webhooks = recordStore({
  table: 'records',
  kind: 'WEBHOOK',
  schema: StoredWebhook,
  uniques: (webhook) => [
    slotOf(webhook.slot),
    // What subscribes again is the same subscription. Decisions, section 6.
    ...(webhook.connection === 'CONNECTOR'
      ? [
          {
            name: 'SUBSCRIPTION',
            value: subscriptionValue(webhook),
            refusal: () =>
              new AlreadySubscribed('already_exists', 'Another subscription has this url and these eventTypes'),
          },
        ]
      : []),
  ],
});

/** The subscription of an automation platform by its address and types, or undefined. */
export const findSubscription = (programId: string, subscription: Subscription): Promise<StoredWebhook | undefined> =>
  webhooks.find(programId, 'SUBSCRIPTION', subscriptionValue(subscription));

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
