import * as z from 'zod';
import { eventTypes } from './event-types.ts';
import { line, orDefault, paging, recordFields, returnedInstant, text, uuid } from './fields.ts';
import { storesEvents } from './needs.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';
import { WebhookDelivery } from './webhook-deliveries.ts';

export const Webhook = z
  .object({
    ...recordFields,
    url: z.string(),
    eventTypes: z.array(z.string()).describe('Event types, or `*` for all.'),
    description: z.string().nullable(),
    active: z.boolean(),
    deactivationReason: z.string().nullable().describe('Why the service deactivated the endpoint.'),
    deactivatedAt: returnedInstant.nullable(),
    previousSecretUntil: returnedInstant
      .nullable()
      .describe('Until this moment the secret from before the last rotation signs too.'),
    secret: z
      .string()
      .nullable()
      .describe(
        'Signs every delivery, by Standard Webhooks. `null` if the service can no longer decrypt it: rotate the secret then.',
      ),
  })
  .meta({ id: 'Webhook' });

/** With a secret that was just made. */
const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe('Signs every delivery, by Standard Webhooks.'),
}).meta({ id: 'WebhookWithSecret' });

export const url = line.min(1).max(2000);
export const subscribedTypes = z
  .array(z.enum(['*', ...eventTypes]))
  .min(1)
  .max(100);

const webhookId = '019a0000-0000-7000-8000-0000000000f2';

const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  query: z.strictObject({ id: uuid.optional(), ...paging }),
  response: Webhook,
  lists: true,
  selectors: ['id'],
  errors: ['not_found'],
  needs: ['webhook-secrets:use', 'WEBHOOK:read', 'WEBHOOK:list'],
  example: {},
});

const readWebhook = operation({
  id: 'readWebhook',
  method: 'GET',
  path: '/webhooks/{id}',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  parameters: z.strictObject({ id: recordName('Webhook', uuid) }),
  query: z.strictObject({}),
  response: Webhook,
  errors: ['not_found'],
  needs: ['webhook-secrets:use', 'WEBHOOK:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000f2' } },
});

export const createWebhook = operation({
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Send events to an address',
  description:
    'The address is https on port 443 or 8443, without credentials, and public. Up to 50 endpoints a program.',
  query: z.strictObject({}),
  body: z.strictObject({
    url,
    eventTypes: orDefault(subscribedTypes, ['*']),
    description: text(500).nullish(),
    active: orDefault(z.boolean(), true),
  }),
  response: WebhookWithSecret,
  errors: [],
  needs: [
    'webhooks:address',
    'webhook-secrets:use',
    'WEBHOOK:list',
    'WEBHOOK:create',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'WEBHOOK:read',
  ],
  example: { body: { url: 'https://example.com/webhooks', eventTypes: ['promotional_code.created'] } },
});

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'PUT',
  path: '/webhooks',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Change an endpoint, deactivate or reactivate it',
  description:
    'Absent fields stay as they are. A new address follows the rules of POST. `active: true` on an endpoint that was ' +
    'deactivated forgets why, and its days of failure begin anew; what it missed comes by POST ' +
    '/webhook-deliveries/retry. While it is deactivated it gets nothing, retries that fall due included.',
  query: z.strictObject({}),
  body: z.strictObject({
    webhookId: uuid,
    url: url.optional(),
    eventTypes: subscribedTypes.optional(),
    description: text(500).nullish(),
    active: z.boolean().optional(),
  }),
  ids: ['webhookId'],
  response: Webhook,
  errors: ['already_exists', 'not_found', 'precondition_failed'],
  needs: ['webhooks:address', 'webhook-secrets:use', 'WEBHOOK:read', 'WEBHOOK:change'],
  example: { body: { webhookId, active: true } },
});

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Stop sending events to an address',
  description: 'Deliveries that still wait for a retry are dropped.',
  query: z.strictObject({}),
  body: z.strictObject({ webhookId: uuid }),
  ids: ['webhookId'],
  response: z.object({ message: z.string(), deletedWebhook: z.object({ id: z.uuid(), url: z.string() }) }),
  errors: ['not_found', 'precondition_failed'],
  needs: ['WEBHOOK:read', 'WEBHOOK:delete', 'TOMBSTONE:create'],
  example: { body: { webhookId } },
});

const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/rotate-secret',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Give an endpoint a new secret',
  description:
    'Returns the endpoint with its new secret. For 24 hours every delivery is signed with both, so that a receiver can ' +
    'change over at any moment. Only two sign at a time: after a second rotation within these hours the oldest secret ' +
    'signs no more.',
  query: z.strictObject({}),
  body: z.strictObject({ webhookId: uuid }),
  ids: ['webhookId'],
  response: WebhookWithSecret,
  errors: ['not_found'],
  needs: ['webhook-secrets:use', 'WEBHOOK:read', 'WEBHOOK:change', 'IDEMPOTENCY:create', 'IDEMPOTENCY:read'],
  example: { body: { webhookId } },
});

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/test',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Send a test to an endpoint',
  description:
    'Sends a `webhook.test` event to this endpoint alone, whatever types it asked for: signed, retried and logged like ' +
    'every other. Its `data.example` is the body of an example of `eventType`, else null. Returns the delivery, which is ' +
    'PENDING. 409 when the endpoint is not active.',
  query: z.strictObject({}),
  body: z.strictObject({ webhookId: uuid, eventType: z.enum(eventTypes).exclude(['webhook.test']).nullish() }),
  ids: ['webhookId'],
  response: WebhookDelivery,
  errors: ['not_found', 'conflict'],
  needs: [
    'WEBHOOK:read',
    ...storesEvents,
    'DELIVERY:create',
    'DELIVERY:read',
    'deliveries:send',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
  ],
  example: { body: { webhookId, eventType: 'sale.created' } },
});

export const webhookOperations = [listWebhooks, readWebhook, createWebhook, updateWebhook, deleteWebhook] as const;

export const secretRotationOperations = [rotateWebhookSecret] as const;

export const webhookTestOperations = [testWebhook] as const;
