import * as z from 'zod';
import { recordFields } from './fields.ts';
import { operation } from './operation.ts';
import { subscribedTypes, url } from './webhooks.ts';

/** See docs/behavior.md#subscriptions */

const Subscription = z
  .object({
    id: z.uuid(),
    url: z.string(),
    eventTypes: z.array(z.string()),
    secret: z
      .string()
      .nullable()
      .describe(
        'Signs every delivery, by Standard Webhooks. `null` if the service can no longer decrypt it: subscribe again then.',
      ),
    createdAt: recordFields.createdAt,
  })
  .meta({ id: 'Subscription' });

const shared = { surface: 'connector', auth: 'key', tag: 'Subscriptions', query: z.strictObject({}) } as const;
const id = z.uuid('Subscription not found').toLowerCase().describe('The id of the subscription.');
const ofOne = { ...shared, path: '/webhooks/{id}', parameters: z.strictObject({ id }) } as const;

const listSubscriptions = operation({
  ...shared,
  id: 'listSubscriptions',
  method: 'GET',
  path: '/webhooks',
  summary: 'List the subscriptions made here',
  response: z.array(Subscription),
  errors: [],
  needs: ['webhook-secrets:use', 'WEBHOOK:list'],
  example: {},
});

export const subscribe = operation({
  ...shared,
  id: 'subscribe',
  method: 'POST',
  path: '/webhooks',
  summary: 'Subscribe to events',
  description:
    'The same `url` and `eventTypes` again return the same subscription, which is active again if it was deactivated. ' +
    'The address follows the rules of webhooks: https on port 443 or 8443, and public.',
  body: z.strictObject({ url, eventTypes: subscribedTypes }),
  response: Subscription,
  errors: [],
  needs: [
    'webhooks:address',
    'webhook-secrets:use',
    'WEBHOOK:read',
    'WEBHOOK:list',
    'WEBHOOK:create',
    'WEBHOOK:change',
    'API_KEY:check',
    'IDEMPOTENCY:read',
  ],
  example: { body: { url: 'https://hooks.example.com/standard/1/2', eventTypes: ['sale.created'] } },
});

const readSubscription = operation({
  ...ofOne,
  id: 'readSubscription',
  method: 'GET',
  summary: 'Read one subscription',
  response: Subscription,
  errors: ['not_found'],
  needs: ['webhook-secrets:use', 'WEBHOOK:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000f5' } },
});

const unsubscribe = operation({
  ...ofOne,
  id: 'unsubscribe',
  method: 'DELETE',
  summary: 'End a subscription',
  description: 'Deliveries that still wait for a retry are dropped. 404 when it has ended before.',
  response: z.object({ message: z.string(), id: z.uuid() }),
  errors: ['not_found'],
  needs: ['WEBHOOK:read', 'WEBHOOK:delete', 'TOMBSTONE:create'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000f5' } },
});

export const subscriptionOperations = [listSubscriptions, subscribe, readSubscription, unsubscribe] as const;
