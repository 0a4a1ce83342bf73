import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAffiliate } from '../../shared/domain/affiliates/create-affiliate.ts';
import { setPlan } from '../../shared/domain/programs/programs.ts';
import type { RedeliveryMessage } from '../../shared/webhooks/delivery/redelivery-message.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { retryDeliveries } from '../../shared/webhooks/delivery/retry-deliveries.ts';
import { eventsUntil, eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { type Reply, type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

// Requests go in over HTTP and webhooks come out at a receiver of this file. The operator sets the plan.

const replies = new Map<string, Reply>();
let receiver: ScriptedReceiver;
beforeAll(async () => {
  receiver = await startScriptedReceiver(({ path }) => replies.get(path) ?? 204);
});
afterAll(() => receiver.stop());

const makeEndpoint = async (api: Api): Promise<{ path: string; webhookId: string }> => {
  const path = `/${randomUUID()}`;
  const body = { url: receiver.url(path), eventTypes: ['affiliate.created'] };
  const { status, body: webhook, text } = await api.post('/webhooks', body);
  expect(status, text).toBe(200);
  return { path, webhookId: webhook.id };
};

/** Background work may still change records of a program whose API returns 403. */
const createAffiliateInBackground = ({ programId }: Api) => {
  const email = `affiliate-${randomUUID()}@example.com`;
  return createAffiliate(programId, { email, firstName: 'Amara', affiliateStatus: 'active' }, new Date());
};

it('endpoints receive nothing while their account is on the FREE plan, and new events after an upgrade', async () => {
  const api = await makeProgram();
  const { path, webhookId } = await makeEndpoint(api);
  const before = await makeAffiliate(api);
  await receiver.waitFor(path, 1);

  await setPlan(api.ownerEmail, 'FREE');
  await createAffiliateInBackground(api);
  await eventsUntil(api.programId, 'affiliate.created', 2);

  await setPlan(api.ownerEmail, 'BUSINESS');
  const after = await makeAffiliate(api);
  await receiver.waitFor(path, 2);
  expect(receiver.at(path).map(({ event }) => event.data.id)).toEqual([before.id, after.id]);
  const log = await api.get(`/webhook-deliveries?webhookId=${webhookId}`);
  expect(log.body).toHaveLength(2);
});

it('a delivery that waits for a retry is cancelled on the FREE plan, and its log says why', async () => {
  const api = await makeProgram();
  const { path, webhookId } = await makeEndpoint(api);
  replies.set(path, 'hang');
  await makeAffiliate(api);
  await receiver.waitFor(path, 1);

  await setPlan(api.ownerEmail, 'FREE');
  receiver.hangUp();
  const cancelled = await eventually('the delivery is cancelled', async () => {
    const [delivery] = (await deliveries.page(api.programId, { limit: 1 })).items;
    return delivery?.status === 'CANCELLED' && delivery;
  });

  await setPlan(api.ownerEmail, 'BUSINESS');
  const { body } = await api.get(`/webhook-deliveries?id=${cancelled.id}`);
  expect(body).toMatchObject({
    webhookId,
    status: 'CANCELLED',
    cancellationReason: 'The FREE plan does not include webhooks',
    nextAttemptAt: null,
  });
  expect(body.attempts).toHaveLength(1);
  expect(receiver.at(path)).toHaveLength(1);
});

it('a redelivery that was requested before the downgrade stops, and sends what failed after an upgrade', async () => {
  const api = await makeProgram();
  const { path, webhookId } = await makeEndpoint(api);
  replies.set(path, 500);
  await makeAffiliate(api);
  await receiver.waitFor(path, 1);
  await setPlan(api.ownerEmail, 'FREE');
  await eventually('the delivery is cancelled', async () => {
    const [delivery] = (await deliveries.page(api.programId, { limit: 1 })).items;
    return delivery?.status === 'CANCELLED' && delivery;
  });

  const since = new Date(Date.now() - 60_000).toISOString();
  const requestedAt = new Date().toISOString();
  const message: RedeliveryMessage = { programId: api.programId, webhookId, since, requestedAt, step: 'FAILED' };
  const sent: string[] = [];
  const sending = {
    sendAttempts: async () => void sent.push('attempts'),
    goOn: async () => void sent.push('next page'),
  };
  await retryDeliveries(message, sending);
  expect(sent).toEqual([]);

  await setPlan(api.ownerEmail, 'BUSINESS');
  replies.set(path, 204);
  const attempts = receiver.at(path).length;
  expect((await api.post('/webhook-deliveries/retry', { webhookId, since })).status).toBe(200);
  await receiver.waitFor(path, attempts + 1);
});
