import * as z from 'zod';
import { type DeliveryStatus, deliveryStatuses } from '../../contract/webhook-deliveries.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { expiryOf } from '../endpoints/retention.ts';
import type { StoredWebhook } from '../endpoints/rules.ts';

export const Attempt = z.object({
  attemptedAt: z.string(),
  durationMilliseconds: z.number(),
  responseStatus: z.number().nullable(),
  responseBody: z.string().nullable(),
  error: z.string().nullable(),
});
export type Attempt = z.infer<typeof Attempt>;

/** `version` rises with each attempt and is the condition that records it once. */
export const StoredDelivery = z.object({
  ...storedFields,
  ttl: z.number(),
  eventId: z.string(),
  eventType: z.string(),
  webhookId: z.string(),
  /** As on its endpoint: the API shows the deliveries of no subscription. */
  connection: z.literal('CONNECTOR').nullable().default(null),
  status: z.enum(deliveryStatuses),
  cancellationReason: z.string().nullable(),
  /** Scheduled attempts, numbered by position. */
  attempts: z.array(Attempt),
  manualAttempts: z.array(Attempt).default([]),
  /** Null if no attempt is to come. */
  nextAttemptAt: z.string().nullable(),
});
export type StoredDelivery = z.infer<typeof StoredDelivery>;

/** Allowed state transitions. */
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

/** The reason why a delivery is cancelled. */
export const endpointDeleted = 'The endpoint was deleted';

export const cancelled = (delivery: StoredDelivery, reason: string, now: Date): StoredDelivery =>
  changed(delivery, 'cancel', { cancellationReason: reason }, now);

/** An item holds 400 KB: 8 responses of 20 KB of each kind. */
const maxResponses = 8;

const fitting = (attempts: readonly Attempt[]): Attempt[] =>
  attempts.map((attempt, at) => (at < attempts.length - maxResponses ? { ...attempt, responseBody: null } : attempt));

/** A manual or late attempt: a success ends the schedule, a failure is only logged. */
export const withAttemptBeside = (
  delivery: StoredDelivery,
  sort: 'attempts' | 'manualAttempts',
  attempt: Attempt,
  now: Date,
): StoredDelivery => {
  const all = [...delivery[sort], attempt];
  const logged = { [sort]: sort === 'attempts' ? fitting(all) : all.slice(-maxResponses) };
  if (attempt.error !== null) return { ...delivery, ...logged, updatedAt: now.toISOString() };
  return changed(delivery, 'succeed beside the schedule', { ...logged, cancellationReason: null }, now);
};

/** After a failed attempt, or if none was made and none will be. */
export const isUndelivered = ({ status, attempts }: StoredDelivery): boolean =>
  status === 'PENDING' ? attempts.length > 0 : status !== 'SUCCEEDED';

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

/** Derived from event and endpoint, so it is always the same. */
export const newDelivery = (
  event: { id: string; type: string; timestamp: string },
  webhook: Pick<StoredWebhook, 'id' | 'connection'>,
): StoredDelivery => ({
  id: derivedId(new Date(event.timestamp), event.id, webhook.id),
  createdAt: event.timestamp,
  updatedAt: event.timestamp,
  version: 1,
  ttl: expiryOf(event.timestamp),
  eventId: event.id,
  eventType: event.type,
  webhookId: webhook.id,
  connection: webhook.connection,
  status: 'PENDING',
  cancellationReason: null,
  attempts: [],
  manualAttempts: [],
  nextAttemptAt: event.timestamp,
});
