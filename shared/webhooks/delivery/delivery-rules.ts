import * as z from 'zod';
import { type DeliveryStatus, deliveryStatuses } from '../../contract/webhook-deliveries.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { expiryOf } from '../endpoints/retention.ts';

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
  /** Why nothing more is sent, where the endpoint or the plan is the reason. */
  cancellationReason: z.string().nullable(),
  /** Those of the schedule, which their number tells apart. */
  attempts: z.array(Attempt),
  /** Those that somebody asked for, beside the schedule: the newest of them. */
  manualAttempts: z.array(Attempt).default([]),
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
  'succeed beside the schedule': { from: deliveryStatuses, to: 'SUCCEEDED' },
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

/** An item of the table holds 400 KB: 8 answers of 20 KB of each sort, and no more. */
const mostAnswers = 8;

/** The same attempts, of which only the newest keep what the receiver answered. */
const fitting = (attempts: readonly Attempt[]): Attempt[] =>
  attempts.map((attempt, at) => (at < attempts.length - mostAnswers ? { ...attempt, responseBody: null } : attempt));

/**
 * A delivery with an attempt beside its schedule: made by hand, or of the schedule but finished after the delivery was
 * settled. A success ends the schedule; a failure changes nothing but the log.
 */
export const withAttemptBeside = (
  delivery: StoredDelivery,
  sort: 'attempts' | 'manualAttempts',
  attempt: Attempt,
  now: Date,
): StoredDelivery => {
  const all = [...delivery[sort], attempt];
  const logged = { [sort]: sort === 'attempts' ? fitting(all) : all.slice(-mostAnswers) };
  if (attempt.error !== null) return { ...delivery, ...logged, updatedAt: now.toISOString() };
  return changed(delivery, 'succeed beside the schedule', { ...logged, cancellationReason: null }, now);
};

/** Whether the receiver may still miss it: an attempt has failed, or none was made and none will be. */
export const isUndelivered = ({ status, attempts }: StoredDelivery): boolean =>
  status === 'PENDING' ? attempts.length > 0 : status !== 'SUCCEEDED';

/** A delivery with one attempt more. `nextAttemptAt` is when to try again; undefined when there is no attempt left. */
export const withAttempt = (
  delivery: StoredDelivery,
  attempt: Attempt,
  nextAttemptAt: Date | undefined,
  now: Date,
): StoredDelivery => {
  const attempts = fitting([...delivery.attempts, attempt]);
  if (attempt.error === null) return changed(delivery, 'succeed', { attempts }, now);
  if (!nextAttemptAt) return changed(delivery, 'fail', { attempts }, now);
  return changed(delivery, 'retry', { attempts, nextAttemptAt: nextAttemptAt.toISOString() }, now);
};

/** A delivery that waits for its first attempt. The same event and endpoint always make the same one. */
export const newDelivery = (
  event: { id: string; type: string; timestamp: string },
  webhookId: string,
): StoredDelivery => ({
  id: derivedId(new Date(event.timestamp), event.id, webhookId),
  createdAt: event.timestamp,
  updatedAt: event.timestamp,
  version: 1,
  ttl: expiryOf(event.timestamp),
  eventId: event.id,
  eventType: event.type,
  webhookId,
  status: 'PENDING',
  cancellationReason: null,
  attempts: [],
  manualAttempts: [],
  nextAttemptAt: event.timestamp,
});
