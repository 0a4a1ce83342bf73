import { requireRecord } from '../shared/contract/errors.ts';
import { eventTypes } from '../shared/contract/event-types.ts';
import { auditPages } from '../shared/contract/pages/audit-log.ts';
import { deliveryPages } from '../shared/contract/pages/deliveries.ts';
import { eventPages, showEvent, showEvents } from '../shared/contract/pages/events.ts';
import { showWebhook, webhookPages } from '../shared/contract/pages/webhooks.ts';
import { recordReveal } from '../shared/domain/programs/reveals.ts';
import { unfilled } from '../shared/web/components/controls.tsx';
import { enteredInstant } from '../shared/web/components/days.ts';
import { withFlash } from '../shared/web/components/flash.ts';
import { listPart } from '../shared/web/lists/list-part.ts';
import { deliveryPath, deliveryView } from '../shared/web/pages/deliveries.tsx';
import { eventPath, eventsPath, eventsView, eventView } from '../shared/web/pages/events.tsx';
import {
  missedEventsView,
  secretRotationView,
  webhookDeletionView,
  webhookSecretView,
} from '../shared/web/pages/webhook-confirmations.tsx';
import {
  newWebhookView,
  webhookChangeView,
  webhookPath,
  webhooksPath,
  webhooksView,
  webhookView,
} from '../shared/web/pages/webhooks.tsx';
import { auditHandlers } from '../shared/web/records/audit-log.ts';
import { redirect } from '../shared/web/responses.ts';
import { webArea } from '../shared/web/web.ts';
import { listDeliveries } from '../shared/webhooks/delivery/list-deliveries.ts';
import { deliveries, events, eventsOfType, isVisible } from '../shared/webhooks/delivery/repository.ts';
import { deliveryResponse } from '../shared/webhooks/delivery/responses.ts';
import { retryDeliveriesSince, retryDelivery } from '../shared/webhooks/delivery/retry.ts';
import { testWebhook } from '../shared/webhooks/delivery/test-webhook.ts';
import { createWebhook } from '../shared/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../shared/webhooks/endpoints/delete-webhook.ts';
import { allWebhooks, findOwnWebhook, isOwn, webhooks } from '../shared/webhooks/endpoints/repository.ts';
import { isKept, pageOfKept } from '../shared/webhooks/endpoints/retention.ts';
import { rotateSecret } from '../shared/webhooks/endpoints/rotate-secret.ts';
import type { StoredWebhook } from '../shared/webhooks/endpoints/rules.ts';
import { webhookResponse } from '../shared/webhooks/endpoints/secrets.ts';
import { updateWebhook } from '../shared/webhooks/endpoints/update-webhook.ts';

const readWebhook = async (programId: string, webhookId: string): Promise<StoredWebhook> =>
  requireRecord(await findOwnWebhook(programId, webhookId), 'Webhook');

/** The event types that were chosen in a form. */
const chosenTypes = (form: { events: 'all' | 'chosen' } & Partial<Record<string, unknown>>) =>
  form.events === 'all' ? (['*'] as const).slice() : eventTypes.filter((type) => form[type] === 'on');

/** A delivery of that endpoint; the log is kept for 30 days. */
const readDelivery = async (programId: string, webhookId: string, deliveryId: string, now: Date) => {
  const found = await deliveries.get(programId, deliveryId);
  return requireRecord(found?.webhookId === webhookId && isVisible(found, now) ? found : undefined, 'Delivery');
};

export const handler = webArea([...webhookPages, ...deliveryPages, ...eventPages, ...auditPages], {
  ...auditHandlers,

  showWebhooks: async ({ program }) =>
    webhooksView(program.id, program.plan, (await allWebhooks(program.id)).filter(isOwn)),

  showNewWebhook: ({ session, program }) => newWebhookView({ session, programId: program.id }, unfilled),

  addWebhook: {
    submit: async ({ program, form, now }) => {
      const { url, description } = form;
      const body = { url, description, eventTypes: chosenTypes(form), active: true };
      return redirect(`${webhookPath(program.id, (await createWebhook(program.id, body, now)).id)}/secret`);
    },
    showAgain: ({ session, program }, filled) => newWebhookView({ session, programId: program.id }, filled),
  },

  showWebhook: async ({ session, program, parameters: { webhookId }, query, now }) => {
    const { status } = query;
    const part = listPart(showWebhook, program.id, webhookPath(program.id, webhookId), query);
    const [webhook, log] = await Promise.all([
      readWebhook(program.id, webhookId),
      listDeliveries(program.id, { webhookId, status }, pageOfKept(part.request, now)),
    ]);
    const shown = { part, status, page: log.map(deliveryResponse) };
    return webhookView({ session, programId: program.id }, program.plan, webhook, shown);
  },

  showWebhookSecret: async ({ session, program, parameters, now }) => {
    const webhook = await readWebhook(program.id, parameters.webhookId);
    const [shown, seenBy] = await Promise.all([
      webhookResponse(program.id, webhook),
      recordReveal('WEBHOOK', program.id, webhook, session.email, now),
    ]);
    return webhookSecretView(program.id, shown, seenBy);
  },

  showWebhookChange: async ({ session, program, parameters }) =>
    webhookChangeView(
      { session, programId: program.id },
      await readWebhook(program.id, parameters.webhookId),
      unfilled,
    ),

  changeWebhook: {
    submit: async ({ program, parameters: { webhookId }, form, now }) => {
      const { url, description = null, active } = form;
      const body = { webhookId, url, description, eventTypes: chosenTypes(form), active: active === 'on' };
      await updateWebhook(program.id, body, undefined, now);
      return redirect(webhookPath(program.id, webhookId));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      webhookChangeView(
        { session, programId: program.id },
        await readWebhook(program.id, parameters.webhookId),
        filled,
      ),
  },

  switchWebhookOn: async ({ program, parameters: { webhookId }, now }) => {
    await updateWebhook(program.id, { webhookId, active: true }, undefined, now);
    return redirect(webhookPath(program.id, webhookId));
  },

  confirmSecretRotation: async ({ session, program, parameters }) =>
    secretRotationView({ session, programId: program.id }, await readWebhook(program.id, parameters.webhookId)),

  rotateWebhookSecret: async ({ program, parameters: { webhookId }, form, now }) => {
    const existingRecordId = async () => {
      const { previousSecretUntil } = await readWebhook(program.id, webhookId);
      return previousSecretUntil === (form.previousSecretUntil ?? null) ? undefined : webhookId;
    };
    await rotateSecret(program.id, webhookId, now, { existingRecordId, recordCreated: () => [] });
    return redirect(`${webhookPath(program.id, webhookId)}/secret`);
  },

  confirmWebhookDeletion: async ({ session, program, parameters }) =>
    webhookDeletionView({ session, programId: program.id }, await readWebhook(program.id, parameters.webhookId)),

  removeWebhook: async ({ program, parameters, now }) => {
    await deleteWebhook(program.id, parameters.webhookId, now);
    return redirect(webhooksPath(program.id));
  },

  sendWebhookTest: async ({ program, parameters: { webhookId }, form, now }) => {
    const { id } = await testWebhook(program.id, { webhookId, ...form }, now);
    return redirect(`${deliveryPath(program.id, webhookId, id)}?asked=${now.toISOString()}`);
  },

  showMissedEvents: async ({ session, program, parameters: { webhookId }, now }) =>
    missedEventsView({ session, programId: program.id }, await readWebhook(program.id, webhookId), now, unfilled),

  sendMissedEvents: {
    submit: async ({ program, parameters: { webhookId }, form, now }) => {
      await readWebhook(program.id, webhookId);
      await retryDeliveriesSince(program.id, webhookId, enteredInstant(form.since), now);
      return redirect(withFlash(webhookPath(program.id, webhookId), 'missed-sent'));
    },
    showAgain: async ({ session, program, parameters: { webhookId }, now }, filled) =>
      missedEventsView({ session, programId: program.id }, await readWebhook(program.id, webhookId), now, filled),
  },

  showDelivery: async ({ session, program, parameters: { webhookId, deliveryId }, query, now }) => {
    const delivery = await readDelivery(program.id, webhookId, deliveryId, now);
    const [webhook, event] = await Promise.all([
      webhooks.get(program.id, webhookId),
      events.get(program.id, delivery.eventId),
    ]);
    return deliveryView({ session, programId: program.id, plan: program.plan }, deliveryResponse(delivery), {
      webhook,
      sent: event?.body,
      askedAt: query.asked,
    });
  },

  resendDelivery: async ({ program, parameters: { webhookId, deliveryId }, now }) => {
    await readDelivery(program.id, webhookId, deliveryId, now);
    await retryDelivery(program.id, deliveryId, now);
    return redirect(`${deliveryPath(program.id, webhookId, deliveryId)}?asked=${now.toISOString()}`);
  },

  showEvents: async ({ program, query, now }) => {
    const { type } = query;
    const part = listPart(showEvents, program.id, eventsPath(program.id), query);
    const found = await events.page(program.id, pageOfKept(part.request, now), type && eventsOfType(type));
    return eventsView(program.id, query, part, found);
  },

  showEvent: async ({ program, parameters: { eventId }, query, now }) => {
    const part = listPart(showEvent, program.id, eventPath(program.id, eventId), query);
    const [event, sent, endpoints] = await Promise.all([
      events.get(program.id, eventId),
      listDeliveries(program.id, { eventId }, pageOfKept(part.request, now)),
      allWebhooks(program.id),
    ]);
    const found = requireRecord(event && isKept(event, now) ? event : undefined, 'Event');
    return eventView(program.id, found, { part, page: sent.map(deliveryResponse), endpoints });
  },
});
