import { webhookTestOperations } from '../shared/contract/webhooks.ts';
import { apiPath } from '../shared/http/api.ts';
import { deliveryResponse } from '../shared/webhooks/delivery/responses.ts';
import { testWebhook } from '../shared/webhooks/delivery/test-webhook.ts';

export const handler = apiPath(webhookTestOperations, {
  testWebhook: async ({ program, body, now, idempotency }) =>
    deliveryResponse(await testWebhook(program.id, body, now, idempotency)),
});
