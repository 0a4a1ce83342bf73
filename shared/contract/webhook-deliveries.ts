import * as z from 'zod';
import { answeredInstant, paging, recordFields, uuid } from './fields.ts';
import { operation } from './operation.ts';

/** FAILED: every attempt of the schedule failed. CANCELLED: the endpoint was switched off or deleted first. */
export const deliveryStatuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const WebhookDelivery = z
  .object({
    ...recordFields,
    webhookId: z.uuid(),
    eventId: z.uuid(),
    eventType: z.string(),
    status: z.enum(deliveryStatuses),
    cancellationReason: z.string().nullable().describe('Why nothing more is sent, where the endpoint is the reason.'),
    nextAttemptAt: answeredInstant.nullable().describe('Null when no attempt of the schedule is to come.'),
    attempts: z.array(
      z.object({
        attemptedAt: answeredInstant,
        durationMilliseconds: z.number(),
        responseStatus: z.int().nullable().describe('Null when no answer came.'),
        responseBody: z.string().nullable().describe('The beginning of the answer, at most 20 KB.'),
        error: z.string().nullable().describe('Why the attempt failed; null when it succeeded.'),
        manual: z.boolean().describe('Asked for by POST /webhook-deliveries/retry, beside the schedule.'),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery' });

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/webhook-deliveries',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Read one delivery or list them',
  description:
    'One event for one endpoint, with every attempt. Kept for 30 days, those of deleted endpoints too. Of attempts by ' +
    'hand the newest 8 are kept. PENDING: an attempt is to come. SUCCEEDED: answered with 2xx. FAILED: every attempt ' +
    'of the schedule failed. CANCELLED: the endpoint was switched off or deleted before.',
  query: z.strictObject({
    id: uuid.optional(),
    webhookId: uuid.optional(),
    eventId: uuid.optional(),
    status: z.enum(deliveryStatuses).optional(),
    ...paging,
  }),
  answer: WebhookDelivery,
  lists: true,
  errors: ['not_found'],
  needs: ['DELIVERY:read'],
  example: { query: { status: 'FAILED' } },
});

export const webhookDeliveryOperations = [listWebhookDeliveries] as const;
