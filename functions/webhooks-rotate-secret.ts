import { secretRotationOperations } from '../shared/contract/webhooks.ts';
import { apiPath } from '../shared/http/api.ts';
import { rotateSecret } from '../shared/webhooks/endpoints/rotate-secret.ts';
import { newSecretResponse } from '../shared/webhooks/endpoints/secrets.ts';

export const handler = apiPath(secretRotationOperations, {
  rotateWebhookSecret: async ({ program, body, now, idempotency }) =>
    newSecretResponse(program.id, await rotateSecret(program.id, body.webhookId, now, idempotency)),
});
