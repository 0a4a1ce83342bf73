import * as contract from '../shared/contract/webhooks.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { requireRecord, selectorOf } from '../shared/http/selectors.ts';
import { createWebhook } from '../shared/webhooks/create-webhook.ts';
import { deleteWebhook } from '../shared/webhooks/delete-webhook.ts';
import { webhooks } from '../shared/webhooks/repository.ts';
import { webhookAnswer } from '../shared/webhooks/rules.ts';

export const handler = apiPath(
  serve(contract.listWebhooks, async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return webhookAnswer(requireRecord(await webhooks.get(program.id, selector.value), 'Webhook'));
    return (await webhooks.page(program.id, page)).map(webhookAnswer);
  }),
  serve(contract.createWebhook, async ({ program, body, now, repetition }) =>
    webhookAnswer(await createWebhook(program.id, body, now, repetition)),
  ),
  serve(contract.deleteWebhook, async ({ program, body, expectedVersion }) => {
    const { id, url } = await deleteWebhook(program.id, body.webhookId, expectedVersion);
    return { message: 'Webhook deleted', deletedWebhook: { id, url } };
  }),
);
