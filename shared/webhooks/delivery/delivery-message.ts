import * as z from 'zod';
import type { Outgoing } from '../../platform/queue/send-batch.ts';
import type { StoredDelivery } from './delivery-rules.ts';

/** The rest, and whether it is still wanted, is in the table. */
export const DeliveryMessage = z.strictObject({
  programId: z.string(),
  deliveryId: z.string(),
  eventId: z.string(),
  webhookId: z.string(),
  /** From 1; 0 for a manual attempt. */
  attempt: z.number(),
  byHand: z.strictObject({ requestedAt: z.string(), isForUndeliveredOnly: z.boolean() }).optional(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

type Addressed = Pick<StoredDelivery, 'id' | 'eventId' | 'webhookId'>;

export const firstAttempt = (programId: string, { id, eventId, webhookId }: Addressed): Outgoing =>
  outgoingDelivery({ programId, deliveryId: id, eventId, webhookId, attempt: 1 });

export const attemptByHand = (
  programId: string,
  { id, eventId, webhookId }: Addressed,
  byHand: NonNullable<DeliveryMessage['byHand']>,
): Outgoing => outgoingDelivery({ programId, deliveryId: id, eventId, webhookId, attempt: 0, byHand });

/** SQS's maximum. A later attempt returns to the queue more than once. */
const maxDelaySeconds = 900;

export const outgoingDelivery = (message: DeliveryMessage, dueInMilliseconds = 0): Outgoing => ({
  message,
  groupId: message.webhookId,
  delaySeconds: Math.min(maxDelaySeconds, Math.max(0, Math.ceil(dueInMilliseconds / 1000))),
});
