import * as z from 'zod';
import type { Outgoing } from '../queue/send-batch.ts';

/** Asks for one attempt of a delivery. Everything else, and whether it is still wanted, is in the table. */
export const DeliveryMessage = z.strictObject({
  programId: z.string(),
  deliveryId: z.string(),
  eventId: z.string(),
  webhookId: z.string(),
  /** Counts from 1. */
  attempt: z.number(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** The longest that SQS delays a message. An attempt that is due later comes back to the queue more than once. */
const mostDelaySeconds = 900;

/** The message for an attempt that is due in some milliseconds, fair by endpoint. */
export const outgoingDelivery = (message: DeliveryMessage, dueInMilliseconds = 0): Outgoing => ({
  message,
  groupId: message.webhookId,
  delaySeconds: Math.min(mostDelaySeconds, Math.max(0, Math.ceil(dueInMilliseconds / 1000))),
});
