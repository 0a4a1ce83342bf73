import { subscriptionOperations } from '../shared/contract/connector-webhooks.ts';
import { apiPath } from '../shared/http/api.ts';
import { webhookResponse } from '../shared/webhooks/endpoints/secrets.ts';
import {
  allSubscriptions,
  getSubscription,
  subscribe,
  unsubscribe,
} from '../shared/webhooks/endpoints/subscriptions.ts';

export const handler = apiPath(subscriptionOperations, {
  listSubscriptions: async ({ program }) => {
    const subscriptions = await allSubscriptions(program.id);
    return Promise.all(subscriptions.map((subscription) => webhookResponse(program.id, subscription)));
  },
  subscribe: async ({ program, keyId, body, now }) =>
    webhookResponse(program.id, await subscribe({ programId: program.id, keyId }, body, now)),
  readSubscription: async ({ program, parameters }) =>
    webhookResponse(program.id, await getSubscription(program.id, parameters.id)),
  unsubscribe: async ({ program, parameters, now }) => {
    await unsubscribe(program.id, parameters.id, now);
    return { message: 'Subscription ended', id: parameters.id };
  },
});
