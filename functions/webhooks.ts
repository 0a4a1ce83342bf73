import { requireRecord } from '../shared/contract/errors.ts';
import { webhookOperations } from '../shared/contract/webhooks.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';
import { createWebhook } from '../shared/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../shared/webhooks/endpoints/delete-webhook.ts';
import { findOwnWebhook, isOwn, webhooks } from '../shared/webhooks/endpoints/repository.ts';
import { newSecretResponse, webhookResponse } from '../shared/webhooks/endpoints/secrets.ts';
import { updateWebhook } from '../shared/webhooks/endpoints/update-webhook.ts';

const readOne = async (programId: string, id: string) =>
  webhookResponse(programId, requireRecord(await findOwnWebhook(programId, id), 'Webhook'));

export const handler = apiPath(webhookOperations, {
  readWebhook: ({ program, parameters }) => readOne(program.id, parameters.id.value),
  listWebhooks: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return readOne(program.id, selector.value);
    const own = await webhooks.page(program.id, page, undefined, isOwn);
    return own.mapAwaiting((webhook) => webhookResponse(program.id, webhook));
  },
  createWebhook: async ({ program, body, now, idempotency }) =>
    newSecretResponse(program.id, await createWebhook(program.id, body, now, null, idempotency.recordCreated)),
  updateWebhook: async ({ program, body, expectedVersions, now }) =>
    webhookResponse(program.id, await updateWebhook(program.id, body, expectedVersions, now)),
  deleteWebhook: async ({ program, body, expectedVersions, now }) => {
    const { id, url } = await deleteWebhook(program.id, body.webhookId, now, expectedVersions);
    return { message: 'Webhook deleted', deletedWebhook: { id, url } };
  },
});
