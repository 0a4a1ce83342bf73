import * as z from 'zod';
import { instant, paging, recordFields, returnedInstant, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

/** FAILED: every attempt failed. CANCELLED: the endpoint or the plan with webhooks was gone first. */
export const deliveryStatuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const WebhookDelivery = z
  .object({
    ...recordFields,
    webhookId: z.uuid(),
    eventId: z.uuid(),
    eventType: z.string(),
    status: z.enum(deliveryStatuses),
    cancellationReason: z
      .string()
      .nullable()
      .describe('Why nothing more is sent, where the endpoint or the plan is the reason.'),
    nextAttemptAt: returnedInstant.nullable().describe('Null when no attempt of the schedule is to come.'),
    attempts: z.array(
      z.object({
        attemptedAt: returnedInstant,
        durationMilliseconds: z.number(),
        responseStatus: z.int().nullable().describe('Null when no response came.'),
        responseBody: z.string().nullable().describe('The beginning of the response, at most 20 KB.'),
        error: z.string().nullable().describe('Why the attempt failed; null when it succeeded.'),
        manual: z.boolean().describe('Asked for by POST /webhook-deliveries/retry, beside the schedule.'),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery' });

const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/webhook-deliveries',
  auth: 'key',
  tag: 'Webhook deliveries',
  summary: 'List webhook deliveries',
  description:
    'One event for one endpoint, with every attempt. Kept for 30 days, those of deleted endpoints too. Of manual ' +
    'attempts the newest 8 are kept. PENDING: an attempt is to come. SUCCEEDED: returned 2xx. FAILED: every attempt ' +
    'of the schedule failed. CANCELLED: the endpoint was deactivated or deleted before, or the account was set to the ' +
    'FREE plan.',
  query: z.strictObject({
    id: uuid.optional(),
    webhookId: uuid.optional(),
    eventId: uuid.optional(),
    status: z.enum(deliveryStatuses).optional(),
    ...paging,
  }),
  response: WebhookDelivery,
  lists: true,
  selectors: ['id'],
  errors: ['not_found'],
  needs: [
    'DELIVERY:read',
    'DELIVERY:list',
    'DELIVERY:list:GSI1',
    'DELIVERY:list:GSI2',
    'DELIVERY:list:GSI3',
    'DELIVERY:list:GSI4',
  ],
  example: { query: { status: 'FAILED' } },
});

const readWebhookDelivery = operation({
  id: 'readWebhookDelivery',
  method: 'GET',
  path: '/webhook-deliveries/{id}',
  auth: 'key',
  tag: 'Webhook deliveries',
  summary: 'Read a webhook delivery',
  parameters: z.strictObject({ id: recordName('Delivery', uuid) }),
  query: z.strictObject({}),
  response: WebhookDelivery,
  errors: ['not_found'],
  needs: ['DELIVERY:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000f3' } },
});

const retryWebhookDeliveries = operation({
  id: 'retryWebhookDeliveries',
  method: 'POST',
  path: '/webhook-deliveries/retry',
  auth: 'key',
  tag: 'Webhook deliveries',
  summary: 'Send deliveries again',
  description:
    'With `deliveryId`: that one at once, whatever its status. With `webhookId` and `since` (at most 30 days ago): every ' +
    'delivery of the endpoint since then that has failed or was cancelled, those that wait for a retry too, and what ' +
    'happened while the service had deactivated the endpoint; in the background, 100 every two seconds. Each gets one ' +
    'attempt, beside its schedule: a success ends the schedule, a failure leaves it as it is. Asked for twice before ' +
    'the attempt is made, it is made once. 409 when the endpoint is not active, or was deleted.',
  query: z.strictObject({}),
  body: z
    .strictObject({ deliveryId: uuid.optional(), webhookId: uuid.optional(), since: instant.optional() })
    .superRefine(({ deliveryId, webhookId, since }, context) => {
      const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      if (deliveryId !== undefined) {
        if (webhookId !== undefined) refuse('webhookId', 'cannot be given together with deliveryId');
        if (since !== undefined) refuse('since', 'goes with webhookId, not with deliveryId');
      } else if (webhookId === undefined) refuse('deliveryId', 'or webhookId is required');
      else if (since === undefined) refuse('since', 'is required with webhookId');
    }),
  ids: ['deliveryId', 'webhookId'],
  response: z.object({
    message: z.string(),
    webhookId: z.uuid(),
    deliveryId: z.uuid().optional(),
    since: returnedInstant.optional(),
  }),
  errors: ['not_found', 'conflict'],
  needs: ['WEBHOOK:read', 'DELIVERY:read', 'deliveries:send', 'redeliveries:send'],
  example: { body: { deliveryId: '019a0000-0000-7000-8000-0000000000f3' } },
});

export const webhookDeliveryOperations = [listWebhookDeliveries, readWebhookDelivery] as const;

export const deliveryRetryOperations = [retryWebhookDeliveries] as const;
