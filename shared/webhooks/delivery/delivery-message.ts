import * as z from 'zod';
import type { Outgoing } from '../../platform/queue/send-batch.ts';
import type { StoredDelivery } from './delivery-rules.ts';

/** Asks for one attempt of a delivery. Everything else, and whether it is still wanted, is in the table. */
export const DeliveryMessage = z.strictObject({
  programId: z.string(),
  deliveryId: z.string(),
  eventId: z.string(),
  webhookId: z.string(),
  /** Counts from 1; 0 for an attempt by hand. */
  attempt: z.number(),
  /** Asks for an attempt at once, beside the schedule. */
  byHand: z.strictObject({ requestedAt: z.string(), isForUndeliveredOnly: z.boolean() }).optional(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** What a message says of its delivery. */
type Addressed = Pick<StoredDelivery, 'id' | 'eventId' | 'webhookId'>;

/** The message that starts a delivery. */
export const firstAttempt = (programId: string, { id, eventId, webhookId }: Addressed): Outgoing =>
  outgoingDelivery({ programId, deliveryId: id, eventId, webhookId, attempt: 1 });

/** The message for an attempt by hand. `isForUndeliveredOnly`: not if the delivery has succeeded in the meantime. */
export const attemptByHand = (
  programId: string,
  { id, eventId, webhookId }: Addressed,
  byHand: NonNullable<DeliveryMessage['byHand']>,
): Outgoing => outgoingDelivery({ programId, deliveryId: id, eventId, webhookId, attempt: 0, byHand });

/** The longest that SQS delays a message. An attempt that is due later comes back to the queue more than once. */
const mostDelaySeconds = 900;

/** The message for an attempt that is due in some milliseconds, fair by endpoint. */
export const outgoingDelivery = (message: DeliveryMessage, dueInMilliseconds = 0): Outgoing => ({
  message,
  groupId: message.webhookId,
  delaySeconds: Math.min(mostDelaySeconds, Math.max(0, Math.ceil(dueInMilliseconds / 1000))),
});
