import * as z from 'zod';

/** One attempt, as the log shows it. */
export const Attempt = z.object({
  attemptedAt: z.string(),
  durationMilliseconds: z.number(),
  responseStatus: z.number().nullable(),
  /** The beginning of what the receiver answered, at most 20 KB. */
  responseBody: z.string().nullable(),
  /** Why it failed; null when it succeeded. */
  error: z.string().nullable(),
});
export type Attempt = z.infer<typeof Attempt>;

const deliveryStatuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event for one endpoint. `version` rises with each attempt, and is the condition that records it once. */
export const StoredDelivery = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  /** Seconds since the epoch, when the table may forget it. */
  ttl: z.number(),
  eventId: z.string(),
  eventType: z.string(),
  webhookId: z.string(),
  status: z.enum(deliveryStatuses),
  /** Why nothing more is sent, where the endpoint is the reason. */
  cancellationReason: z.string().nullable(),
  attempts: z.array(Attempt),
  /** Null when no attempt is to come. */
  nextAttemptAt: z.string().nullable(),
});
export type StoredDelivery = z.infer<typeof StoredDelivery>;

/** From which states a delivery goes where. */
const changes = {
  retry: { from: ['PENDING'], to: 'PENDING' },
  succeed: { from: ['PENDING'], to: 'SUCCEEDED' },
  fail: { from: ['PENDING'], to: 'FAILED' },
  cancel: { from: ['PENDING'], to: 'CANCELLED' },
} as const satisfies Record<string, { from: readonly DeliveryStatus[]; to: DeliveryStatus }>;

const changed = (
  delivery: StoredDelivery,
  change: keyof typeof changes,
  fields: Partial<StoredDelivery>,
  now: Date,
): StoredDelivery => {
  const { from, to } = changes[change];
  if (!from.some((status) => status === delivery.status))
    throw new Error(`A delivery that is ${delivery.status} cannot ${change}`);
  return { ...delivery, nextAttemptAt: null, ...fields, status: to, updatedAt: now.toISOString() };
};

/** A delivery to which nothing more is sent, and why. */
export const cancelled = (delivery: StoredDelivery, reason: string, now: Date): StoredDelivery =>
  changed(delivery, 'cancel', { cancellationReason: reason }, now);

/** A delivery with one attempt more. `nextAttemptAt` is when to try again; undefined when there is no attempt left. */
export const withAttempt = (
  delivery: StoredDelivery,
  attempt: Attempt,
  nextAttemptAt: Date | undefined,
  now: Date,
): StoredDelivery => {
  const attempts = [...delivery.attempts, attempt];
  if (attempt.error === null) return changed(delivery, 'succeed', { attempts }, now);
  if (!nextAttemptAt) return changed(delivery, 'fail', { attempts }, now);
  return changed(delivery, 'retry', { attempts, nextAttemptAt: nextAttemptAt.toISOString() }, now);
};

const keptSeconds = 30 * 24 * 60 * 60;

/** When the table may forget an event and its deliveries: 30 days later, in seconds since the epoch. */
export const expiryOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000) + keptSeconds;
