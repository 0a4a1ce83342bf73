import * as contract from '../shared/contract/webhooks.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { deliveryAnswer } from '../shared/webhooks/delivery/answers.ts';
import { testWebhook } from '../shared/webhooks/delivery/test-webhook.ts';

export const handler = apiPath(
  serve(contract.testWebhook, async ({ program, body, now, repetition }) =>
    deliveryAnswer(await testWebhook(program.id, body, now, repetition)),
  ),
);
