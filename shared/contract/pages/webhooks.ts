import * as z from 'zod';
import { type EventType, eventTypes } from '../event-types.ts';
import { instant, text } from '../fields.ts';
import { storesEvents } from '../needs.ts';
import { webPage } from '../page.ts';
import { deliveryStatuses } from '../webhook-deliveries.ts';
import { deleteWebhook, url } from '../webhooks.ts';
import { cursor, filter } from './list-query.ts';

const area = { function: 'web-webhooks', auth: 'session' } as const;
const path = '/programs/{programId}/webhooks';
const pathOfOne = `${path}/{webhookId}` as const;

/** A form sends ticked boxes only. */
const tickBox = z.literal('on').optional();

const eventBoxes = Object.fromEntries(eventTypes.map((type) => [type, tickBox])) as Record<EventType, typeof tickBox>;

const webhookFields = {
  url,
  description: text(500).optional(),
  events: z.enum(['all', 'chosen']),
  ...eventBoxes,
};

const someAreChosen = (form: Partial<Record<string, unknown>>, context: z.RefinementCtx): void => {
  if (form.events === 'chosen' && !eventTypes.some((type) => form[type] === 'on'))
    context.addIssue({ code: 'custom', path: ['events'], message: 'must be chosen below: at least one' });
};

const showWebhooks = webPage({ ...area, id: 'showWebhooks', method: 'GET', path, needs: ['WEBHOOK:list'] });

const showNewWebhook = webPage({
  ...area,
  id: 'showNewWebhook',
  requiredPlan: 'BUSINESS',
  method: 'GET',
  path: `${path}/new`,
  needs: [],
});

const addWebhook = webPage({
  ...area,
  id: 'addWebhook',
  creates: true,
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${path}/new`,
  form: z.strictObject(webhookFields).superRefine(someAreChosen),
  needs: ['webhooks:address', 'webhook-secrets:use', 'WEBHOOK:list', 'WEBHOOK:create'],
});

export const showWebhook = webPage({
  ...area,
  id: 'showWebhook',
  method: 'GET',
  path: pathOfOne,
  query: z.object({ status: filter(z.enum(deliveryStatuses)), cursor }),
  needs: ['WEBHOOK:read', 'DELIVERY:read', 'DELIVERY:list:GSI1', 'DELIVERY:list:GSI3', 'DELIVERY:list:GSI4'],
});

const showWebhookSecret = webPage({
  ...area,
  id: 'showWebhookSecret',
  role: 'MANAGER',
  method: 'GET',
  path: `${pathOfOne}/secret`,
  needs: ['webhook-secrets:use', 'WEBHOOK:read', 'WEBHOOK:change'],
});

const showWebhookChange = webPage({
  ...area,
  id: 'showWebhookChange',
  requiredPlan: 'BUSINESS',
  method: 'GET',
  path: `${pathOfOne}/change`,
  needs: ['WEBHOOK:read'],
});

const changeWebhook = webPage({
  ...area,
  id: 'changeWebhook',
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${pathOfOne}/change`,
  form: z.strictObject({ ...webhookFields, active: tickBox }).superRefine(someAreChosen),
  needs: ['webhooks:address', 'WEBHOOK:read', 'WEBHOOK:change'],
});

const switchWebhookOn = webPage({
  ...area,
  id: 'switchWebhookOn',
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${pathOfOne}/switch-on`,
  form: z.strictObject({}),
  needs: ['WEBHOOK:read', 'WEBHOOK:change'],
});

const confirmSecretRotation = webPage({
  ...area,
  id: 'confirmSecretRotation',
  requiredPlan: 'BUSINESS',
  method: 'GET',
  path: `${pathOfOne}/rotate-secret`,
  needs: ['WEBHOOK:read'],
});

const rotateWebhookSecret = webPage({
  ...area,
  id: 'rotateWebhookSecret',
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${pathOfOne}/rotate-secret`,
  /** Names the secret to replace, so that a form that is sent twice rotates once. */
  form: z.strictObject({ previousSecretUntil: instant.optional() }),
  needs: ['webhook-secrets:use', 'WEBHOOK:read', 'WEBHOOK:change'],
});

const confirmWebhookDeletion = webPage({
  ...area,
  id: 'confirmWebhookDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['WEBHOOK:read'],
});

const removeWebhook = webPage({
  ...area,
  id: 'removeWebhook',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: z.strictObject({}),
  needs: deleteWebhook.needs,
});

const sendWebhookTest = webPage({
  ...area,
  id: 'sendWebhookTest',
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${pathOfOne}/test`,
  form: z.strictObject({ eventType: z.enum(eventTypes).exclude(['webhook.test']).optional() }),
  needs: ['WEBHOOK:read', ...storesEvents, 'DELIVERY:create', 'deliveries:send'],
});

const showMissedEvents = webPage({
  ...area,
  id: 'showMissedEvents',
  requiredPlan: 'BUSINESS',
  method: 'GET',
  path: `${pathOfOne}/missed`,
  needs: ['WEBHOOK:read'],
});

/** As a browser's control gives it: the time of the program's time zone. */
const localTime = z.iso
  .datetime({ local: true, error: 'must be a time' })
  .refine((time) => !time.endsWith('Z'), 'must be a time');

const sendMissedEvents = webPage({
  ...area,
  id: 'sendMissedEvents',
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${pathOfOne}/missed`,
  form: z.strictObject({ since: localTime }),
  needs: ['WEBHOOK:read', 'redeliveries:send'],
});

export const webhookPages = [
  showWebhooks,
  showNewWebhook,
  addWebhook,
  showWebhook,
  showWebhookSecret,
  showWebhookChange,
  changeWebhook,
  switchWebhookOn,
  confirmSecretRotation,
  rotateWebhookSecret,
  confirmWebhookDeletion,
  removeWebhook,
  sendWebhookTest,
  showMissedEvents,
  sendMissedEvents,
] as const;
