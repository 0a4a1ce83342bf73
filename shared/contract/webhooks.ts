import * as z from 'zod';
import { eventTypes } from './event-types.ts';
import { answeredInstant, paging, recordFields, text, uuid } from './fields.ts';
import { operation } from './operation.ts';

export const Webhook = z
  .object({
    ...recordFields,
    url: z.string(),
    eventTypes: z.array(z.string()).describe('Event types, or `*` for all.'),
    description: z.string().nullable(),
    active: z.boolean(),
    deactivationReason: z.string().nullable().describe('Why the service switched the endpoint off.'),
    deactivatedAt: answeredInstant.nullable(),
    secret: z.string().describe('Signs every delivery, by Standard Webhooks.'),
  })
  .meta({ id: 'Webhook' });

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  auth: 'key',
  tag: 'Webhooks',
  summary: 'Read one webhook endpoint or list them',
  query: z.strictObject({ id: uuid.optional(), ...paging }),
  answer: Webhook,
  lists: true,
  errors: ['not_found'],
  needs: ['WEBHOOK:read'],
  example: {},
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
    url: z.string().trim().min(1).max(2000),
    eventTypes: z
      .array(z.enum(['*', ...eventTypes]))
      .min(1)
      .max(100)
      .default(['*']),
    description: text(500).nullish(),
    active: z.boolean().default(true),
  }),
  answer: Webhook,
  errors: [],
  needs: ['WEBHOOK:read', 'WEBHOOK:write'],
  example: { body: { url: 'https://example.com/webhooks', eventTypes: ['promotional_code.created'] } },
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
  answer: z.object({ message: z.string(), deletedWebhook: z.object({ id: z.uuid(), url: z.string() }) }),
  errors: ['not_found', 'precondition_failed'],
  needs: ['WEBHOOK:read', 'WEBHOOK:write'],
  example: { body: { webhookId: '01900000-0000-7000-8000-000000000003' } },
});

export const webhookOperations = [listWebhooks, createWebhook, deleteWebhook] as const;
