import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { deliveries, deliveriesTo } from '../../shared/webhooks/delivery/repository.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { changedWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { subscribe } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { updateWebhook } from '../../shared/webhooks/endpoints/update-webhook.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';
import { type Platform, platformWith } from './platform.ts';

let receiver: ScriptedReceiver;
let api: Api;
let platform: Platform;
beforeAll(async () => {
  receiver = await startScriptedReceiver(({ path }) => (path === '/gone' ? 410 : 204));
  api = await makeProgram();
  platform = platformWith(await connectorToken(api.programId, 'platform.example', new Date()));
});
afterAll(() => receiver.stop());

const freshUrl = () => `https://hooks.example.com/${randomUUID()}`;

const subscribed = async (body: Record<string, unknown>, by = platform) => {
  const response = await by.send('POST', '/webhooks', body);
  expect(response.status, response.text).toBe(200);
  return response.body;
};

/** As five days of failures do. */
const switchOff = async (id: string): Promise<void> => {
  const stored = await webhooks.get(api.programId, id);
  if (!stored) throw new Error('There is no such subscription');
  const off = changedWebhook(stored, { active: false }, new Date());
  await writeTogether(webhooks.updateWrites(api.programId, stored, off));
};

describe('a subscription', () => {
  it('has its place beside the 50 endpoints that a program has of its own', async () => {
    const own = await makeProgram();
    const now = new Date();
    const body = () => ({ url: freshUrl(), eventTypes: ['*' as const], active: true });
    await Promise.all(Array.from({ length: 50 }, () => createWebhook(own.programId, body(), now)));
    const beyond = await own.post('/webhooks', { url: freshUrl(), eventTypes: ['*'] });
    expect([beyond.status, beyond.body.error]).toEqual([400, expect.stringContaining('at most 50 webhook endpoints')]);
    const connected = platformWith(await connectorToken(own.programId, 'platform.example', now));
    await subscribed({ url: freshUrl(), eventTypes: ['sale.created'] }, connected);
  });

  it('sends the events it asked for, signed, until it ends', async () => {
    const path = `/${randomUUID()}`;
    const subscription = await subscribed({ url: receiver.url(path), eventTypes: ['affiliate.created'], zap: 'x' });
    expect(subscription).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: receiver.url(path),
      eventTypes: ['affiliate.created'],
      secret: expect.stringMatching(/^whsec_/),
      createdAt: expect.stringMatching(/Z$/),
    });
    const affiliate = await makeAffiliate(api);
    const [received] = await receiver.waitFor(path, 1);
    expect(received?.event.data.id).toBe(affiliate.id);
    const headers = Object.fromEntries(
      Object.entries(received?.headers ?? {}).map(([name, value]) => [name, `${value}`]),
    );
    expect(() => new Webhook(subscription.secret).verify(received?.body ?? '', headers)).not.toThrow();

    const end = () => platform.send('DELETE', `/webhooks/${subscription.id}`);
    expect(await end()).toMatchObject({ status: 200, body: { message: 'Subscription ended', id: subscription.id } });
    expect(await end()).toMatchObject({ status: 404, body: { error: 'Subscription not found' } });
    expect((await platform.get(`/webhooks/${subscription.id}`)).status).toBe(404);
  });

  it('is the same one for the same url and types, in any order, from a form, and for twenty at once', async () => {
    const url = freshUrl();
    const eventTypes = ['sale.created', 'sale.refunded'];
    const all = await Promise.all(Array.from({ length: 20 }, () => subscribed({ url, eventTypes })));
    expect(new Set(all.map((subscription) => JSON.stringify(subscription))).size).toBe(1);
    const form = new URLSearchParams([['url', url], ...eventTypes.toReversed().map((type) => ['eventTypes[]', type])]);
    const fromForm = await platform.sendForm('POST', '/webhooks', form.toString());
    expect(fromForm.body).toEqual(all[0]);
    const other = await subscribed({ url, eventTypes: ['sale.created'] });
    expect(other.id).not.toBe(all[0].id);
    const listed = (await platform.get('/webhooks')).body.filter((one: { url: string }) => one.url === url);
    expect(listed).toEqual([other, all[0]]);
    expect((await platform.get(`/webhooks/${other.id}`)).body).toEqual(other);
  });

  it('begins anew after it ended, and is switched on when it is asked for again', async () => {
    const body = { url: freshUrl(), eventTypes: ['*'] };
    const first = await subscribed(body);
    await platform.send('DELETE', `/webhooks/${first.id}`);
    const second = await subscribed(body);
    expect(second.id).not.toBe(first.id);
    await switchOff(second.id);
    expect((await subscribed(body)).id).toBe(second.id);
    expect((await webhooks.get(api.programId, second.id))?.active).toBe(true);
  });

  it('returns the ETag of the stored record when it is switched on again', async () => {
    const body = { url: freshUrl(), eventTypes: ['*'] };
    const { id } = await subscribed(body);
    await switchOff(id);
    const etag = (await platform.send('POST', '/webhooks', body)).headers.get('etag');
    expect(etag).toBe(`"${(await webhooks.get(api.programId, id))?.version}"`);
    expect(etag).toBe((await platform.get(`/webhooks/${id}`)).headers.get('etag'));
  });

  it('is neither seen nor changed on the main API and in the dashboard', async () => {
    const { id: webhookId } = await subscribed({ url: freshUrl(), eventTypes: ['*'] });
    const own = (await api.post('/webhooks', { url: freshUrl() })).body;
    const listed = (await api.get('/webhooks')).body.map(({ id }: { id: string }) => id);
    expect(listed).toContain(own.id);
    expect(listed).not.toContain(webhookId);
    const responses = await Promise.all([
      api.get(`/webhooks?id=${webhookId}`),
      api.put('/webhooks', { webhookId, active: false }),
      api.delete('/webhooks', { webhookId }),
      api.post('/webhooks/test', { webhookId }),
      api.post('/webhooks/rotate-secret', { webhookId }),
      api.post('/webhook-deliveries/retry', { webhookId, since: new Date(Date.now() - 1000).toISOString() }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(404));
    const change = updateWebhook(api.programId, { webhookId, active: false }, undefined, new Date());
    await expect(change).rejects.toMatchObject({ code: 'not_found' });
    expect((await webhooks.get(api.programId, webhookId))?.active).toBe(true);
  });

  it('has deliveries that the main API neither lists, nor reads, nor sends again', async () => {
    const path = `/${randomUUID()}`;
    const { id: webhookId } = await subscribed({ url: receiver.url(path), eventTypes: ['affiliate.created'] });
    await makeAffiliate(api);
    const [received] = await receiver.waitFor(path, 1);
    const made = await deliveries.page(api.programId, { limit: 10 }, deliveriesTo(webhookId));
    expect(made.items).toMatchObject([{ eventId: received?.event.id, connection: 'CONNECTOR' }]);
    const [delivery] = made.items;
    const lists = ['', `?webhookId=${webhookId}`, `?eventId=${received?.event.id}`].map((query) =>
      api.get(`/webhook-deliveries${query}`),
    );
    for (const { body } of await Promise.all(lists))
      expect(body.filter((listed: { id: string }) => listed.id === delivery?.id)).toEqual([]);
    expect((await api.get(`/webhook-deliveries/${delivery?.id}`)).status).toBe(404);
    expect((await api.post('/webhook-deliveries/retry', { deliveryId: delivery?.id })).status).toBe(404);
  });

  it('is deleted by a 410 of its address, and begins anew', async () => {
    // Of a program of its own: elsewhere, addresses that do not exist take the slots of new endpoints.
    const own = await makeProgram();
    const connected = platformWith(await connectorToken(own.programId, 'platform.example', new Date()));
    const body = { url: receiver.url('/gone'), eventTypes: ['affiliate.created'] };
    const { id } = await subscribed(body, connected);
    await makeAffiliate(own);
    await expect.poll(async () => (await connected.get(`/webhooks/${id}`)).status).toBe(404);
    expect((await subscribed(body, connected)).id).not.toBe(id);
  });

  it('is refused without url or types, with an unknown type, and to an address of no public', async () => {
    const url = freshUrl();
    const errorOf = async (body: Record<string, unknown>) => {
      const response = await platform.send('POST', '/webhooks', body);
      return [response.status, response.body.error];
    };
    expect(await errorOf({ eventTypes: ['*'] })).toEqual([400, 'url is required']);
    expect(await errorOf({ url })).toEqual([400, 'eventTypes is required']);
    expect(await errorOf({ url, eventTypes: '' })).toEqual([400, 'eventTypes is required']);
    expect(await errorOf({ url, eventTypes: [] })).toEqual([400, 'eventTypes must have at least 1 entry']);
    expect((await errorOf({ url, eventTypes: ['sale.sold'] }))[0]).toBe(400);
    expect(await errorOf({ url: 'http://10.0.0.1/', eventTypes: ['*'] })).toEqual([
      400,
      'url must begin with https://',
    ]);
  });
});

describe('what a platform sees', () => {
  it('is what was made through the connector, in its program', async () => {
    const own = await subscribed({ url: freshUrl(), eventTypes: ['*'] });
    const endpoint = (await api.post('/webhooks', { url: freshUrl() })).body;
    const stranger = platformWith((await makeProgram()).apiKey);
    expect((await stranger.get('/webhooks')).body).toEqual([]);
    const nowhere = (await platform.get(`/webhooks/${randomUUID()}`)).text;
    for (const [who, id] of [
      [platform, endpoint.id],
      [stranger, own.id],
      [platform, 'x'],
      [platform, '%00'],
    ] as const) {
      for (const method of ['GET', 'DELETE']) {
        const response = await who.send(method, `/webhooks/${id}`);
        expect([response.status, response.text], `${method} ${id}`).toEqual([404, nowhere]);
      }
    }
    const seen = (await platform.get('/webhooks')).body.map(({ id }: { id: string }) => id);
    expect(seen).toContain(own.id);
    expect(seen).not.toContain(endpoint.id);
  });
});

it('a disconnection takes the subscriptions along, and none begins after it', async () => {
  const { programId, apiKey } = await makeProgram();
  const token = await connectorToken(programId, 'platform.example', new Date());
  const keyId = (await findConnection(programId))?.id ?? '';
  await subscribed({ url: freshUrl(), eventTypes: ['*'] }, platformWith(token));
  await disconnect(programId, new Date());
  expect((await platformWith(token).get('/webhooks')).body).toEqual({ error: 'Invalid auth token' });
  // A request that was let in just before.
  const late = subscribe({ programId, keyId }, { url: freshUrl(), eventTypes: ['*'] }, new Date());
  await expect(late).rejects.toMatchObject({ code: 'invalid_token' });
  expect((await platformWith(apiKey).get('/webhooks')).body).toEqual([]);
});
