import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import {
  type Received,
  type Reply,
  type ScriptedReceiver,
  startScriptedReceiver,
  verified,
} from '../support/receiver.ts';

// Over HTTP only: requests go in by the API, and come out at a receiver of ours. The waits between attempts are a
// second each, three of them: see test/support/running-stack.ts. What mostly waits, waits beside the others.

const attempts = 4;

/** What each path of the receiver returns; 204 where a test says nothing. */
const scripts = new Map<string, (received: Received) => Reply>();
let receiver: ScriptedReceiver;

beforeAll(async () => {
  receiver = await startScriptedReceiver((received) => scripts.get(received.path)?.(received) ?? 204);
});
afterAll(() => receiver.stop());

/** An endpoint with a path of its own, for promotional codes unless said otherwise. */
const makeEndpoint = async (
  api: Api,
  overrides: { active?: boolean; eventTypes?: string[]; script?: (received: Received) => Reply } = {},
) => {
  const { script, ...fields } = overrides;
  const path = `/${randomUUID()}`;
  if (script) scripts.set(path, script);
  const body = { url: receiver.url(path), eventTypes: ['promotional_code.created'], ...fields };
  const response = await api.post('/webhooks', body);
  expect(response.status, response.text).toBe(200);
  return { path, id: response.body.id as string, secret: response.body.secret as string };
};

/** Long enough for a webhook that should not come to have come, retries included. */
const untilNothingMoreComes = () => sleep(1500);

const typesAt = (path: string): string[] => receiver.at(path).map(({ event }) => event.type);

it.concurrent('a created code arrives once, signed, at each endpoint that wants it and at no other', async () => {
  const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
  const one = await makeEndpoint(api);
  const everything = await makeEndpoint(api, { eventTypes: ['*'] });
  const deletionsOnly = await makeEndpoint(api, { eventTypes: ['promotional_code.deleted'] });
  const inactive = await makeEndpoint(api, { active: false });
  const ofOtherProgram = await makeEndpoint(other, { eventTypes: ['*'] });
  const deleted = await makeEndpoint(api);
  await api.delete('/webhooks', { webhookId: deleted.id });

  const coupon = await makeCoupon(api);
  const code = await makeCode(api, coupon.id);
  const [received] = await receiver.waitFor(one.path, 1);
  await receiver.waitFor(everything.path, 2);
  await untilNothingMoreComes();

  expect(typesAt(one.path)).toEqual(['promotional_code.created']);
  expect(typesAt(everything.path).sort()).toEqual(['coupon.created', 'promotional_code.created']);
  for (const { path } of [deletionsOnly, inactive, ofOtherProgram, deleted]) expect(receiver.at(path)).toEqual([]);

  const event = received && verified(received, one.secret);
  expect(event).toMatchObject({ type: 'promotional_code.created', data: { id: code.id } });
  expect(received?.headers).toMatchObject({ 'webhook-id': received?.event.id, 'content-type': 'application/json' });
  expect(() => received && verified(received, everything.secret)).toThrow();
});

it.concurrent('the body is the record that GET returns', async () => {
  const api = await makeProgram();
  const { path } = await makeEndpoint(api, {
    eventTypes: ['affiliate.created', 'coupon.created', 'promotional_code.created'],
  });
  const affiliate = await makeAffiliate(api, { metadata: { tier: 'gold', visits: 3 } });
  const coupon = await makeCoupon(api, { couponType: 'FLAT', percentOff: null, amountOff: 12.5, currency: 'EUR' });
  await receiver.waitFor(path, 2);
  const { promotionalCodes: _withoutCodes, ...couponRecord } = (await api.get(`/coupons?id=${coupon.id}`)).body;
  const records = {
    'affiliate.created': (await api.get(`/affiliates?id=${affiliate.id}`)).body,
    'coupon.created': couponRecord,
  };
  const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id, maxRedemptions: 5 });
  const received = await receiver.waitFor(path, 3);

  const data = Object.fromEntries(received.map(({ event }) => [event.type, event.data]));
  expect(data).toEqual({
    ...records,
    'promotional_code.created': (await api.get(`/promotional-codes?id=${code.id}`)).body,
  });
  for (const { event } of received) {
    expect(Object.keys(event)).toEqual(['id', 'type', 'timestamp', 'actor', 'data']);
    expect(event.timestamp).toBe(event.data.createdAt);
  }
});

it.concurrent('a deleted code arrives as it last was', async () => {
  const api = await makeProgram();
  const { path } = await makeEndpoint(api, { eventTypes: ['promotional_code.deleted'] });
  const affiliate = await makeAffiliate(api);
  const coupon = await makeCoupon(api);
  const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id });
  const asItWas = (await api.get(`/promotional-codes?id=${code.id}`)).body;
  await api.delete('/promotional-codes', { promotionalCodeId: code.id });

  const [received] = await receiver.waitFor(path, 1);
  expect(received?.event.data).toEqual(asItWas);
  await untilNothingMoreComes();
  expect(typesAt(path)).toEqual(['promotional_code.deleted']);
});

it.concurrent('a receiver that fails gets the same bytes and id again until it succeeds', async () => {
  const api = await makeProgram();
  const { path, secret } = await makeEndpoint(api, { script: ({ attempt }) => (attempt < 3 ? 500 : 204) });
  await makeCode(api, (await makeCoupon(api)).id);

  const received = await receiver.waitFor(path, 3);
  await untilNothingMoreComes();
  expect(receiver.at(path)).toHaveLength(3);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  for (const one of received) verified(one, secret);
});

it.concurrent('a receiver that always fails is asked once and then after each wait of the schedule', async () => {
  const api = await makeProgram();
  const { path } = await makeEndpoint(api, { script: () => 503 });
  await makeCode(api, (await makeCoupon(api)).id);

  const received = await receiver.waitFor(path, attempts);
  await untilNothingMoreComes();
  expect(receiver.at(path)).toHaveLength(attempts);
  for (const [at, { atMilliseconds }] of received.entries()) {
    const before = received[at - 1]?.atMilliseconds;
    if (before !== undefined) expect(atMilliseconds - before).toBeGreaterThan(900);
  }
});

it.concurrent('a redirect is a failure and is not followed', async () => {
  const api = await makeProgram();
  const elsewhere = `/${randomUUID()}`;
  const { path } = await makeEndpoint(api, {
    script: () => ({ status: 307, headers: { location: receiver.url(elsewhere) } }),
  });
  await makeCode(api, (await makeCoupon(api)).id);
  await receiver.waitFor(path, 2);
  expect(receiver.at(elsewhere)).toEqual([]);
});

it.concurrent('an endpoint that returns 410 is switched off, says why and gets nothing more', async ({ expect }) => {
  const api = await makeProgram();
  const { path, id } = await makeEndpoint(api, { script: () => 410 });
  const coupon = await makeCoupon(api);
  await makeCode(api, coupon.id);
  await receiver.waitFor(path, 1);
  await expect.poll(async () => (await api.get(`/webhooks?id=${id}`)).body.active).toBe(false);
  expect((await api.get(`/webhooks?id=${id}`)).body).toMatchObject({
    deactivationReason: 'The address returned 410 Gone',
    deactivatedAt: expect.any(String),
  });
  await makeCode(api, coupon.id);
  await untilNothingMoreComes();
  expect(receiver.at(path)).toHaveLength(1);
});

it.concurrent('a deleted endpoint gets no retry that was still waiting', async () => {
  const api = await makeProgram();
  const { path, id } = await makeEndpoint(api, { script: () => 500 });
  await makeCode(api, (await makeCoupon(api)).id);
  await receiver.waitFor(path, 1);
  await api.delete('/webhooks', { webhookId: id });
  await untilNothingMoreComes();
  expect(receiver.at(path)).toHaveLength(1);
});

it('what waits for a deleted endpoint, or is being sent to it, is not pending 10 seconds later', async () => {
  const api = await makeProgram();
  const { path, id } = await makeEndpoint(api, { script: () => 'hang' });
  const { id: couponId } = await makeCoupon(api);
  const promotionalCodes = Array.from({ length: 100 }, (_, at) => ({ couponId, code: `WAITS-${at}` }));
  expect((await api.post('/promotional-codes/bulk', { promotionalCodes })).status).toBe(200);
  const deliveriesThatAre = async (status: string): Promise<unknown[]> =>
    (await api.get(`/webhook-deliveries?status=${status}&limit=100`)).body;
  await expect.poll(() => deliveriesThatAre('PENDING')).toHaveLength(100);
  await receiver.waitFor(path, 1);

  const deletedAt = performance.now();
  expect((await api.delete('/webhooks', { webhookId: id })).status).toBe(200);
  await expect.poll(() => deliveriesThatAre('PENDING')).toEqual([]);
  expect(performance.now() - deletedAt).toBeLessThan(10_000);
  expect(await deliveriesThatAre('CANCELLED')).toHaveLength(100);
  scripts.delete(path);
  receiver.hangUp();
});

it('an endpoint that never responds does not delay another one', async () => {
  const api = await makeProgram();
  const dead = await makeEndpoint(api, { script: () => 'hang' });
  const alive = await makeEndpoint(api);
  const coupon = await makeCoupon(api);
  for (let count = 0; count < 10; count++) await makeCode(api, coupon.id);
  const createdAt = performance.now();
  const received = await receiver.waitFor(alive.path, 10);
  expect(receiver.at(dead.path).length).toBeGreaterThan(0);
  // Below the 15 seconds that the dead endpoint is waited for, also on a busy machine.
  expect((received.at(-1)?.atMilliseconds ?? Number.NaN) - createdAt).toBeLessThan(10_000);
  scripts.delete(dead.path);
  receiver.hangUp();
});

it.concurrent('a refused request makes no event', async () => {
  const api = await makeProgram();
  const { path } = await makeEndpoint(api, { eventTypes: ['*'] });
  const coupon = await makeCoupon(api);
  const code = await makeCode(api, coupon.id);
  await receiver.waitFor(path, 2);

  const refused = await Promise.all([
    api.post('/promotional-codes', { couponId: coupon.id, code: code.code }),
    api.post('/promotional-codes', { couponId: coupon.id }),
    api.post('/promotional-codes', { couponId: randomUUID(), code: 'NO-COUPON' }),
    api.post('/promotional-codes', { couponId: coupon.id, code: 'NOBODY', affiliateEmail: 'nobody@example.com' }),
    api.post('/coupons', { name: 'Too much', percentOff: 101 }),
    api.post('/affiliates', { email: 'not an email', firstName: 'Amara' }),
    api.delete('/promotional-codes', { promotionalCodeId: randomUUID() }),
    api.post('/promotional-codes', { couponId: coupon.id, code: 'WRONG-KEY' }, { authorization: 'Bearer wrong' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 404, 400, 400, 404, 401]);
  await untilNothingMoreComes();
  expect(receiver.at(path)).toHaveLength(2);
});

it('a retry that waits holds no message in flight', async () => {
  const client = new SQSClient({});
  const { QueueUrls: urls = [] } = await client.send(new ListQueuesCommand({}));
  const QueueUrl = urls.find((url) => url.includes('DeliveriesQueue') && !url.includes('DeadLetters'));
  const messagesInFlight = async () => {
    const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    return Number(Attributes?.ApproximateNumberOfMessagesNotVisible);
  };

  const api = await makeProgram();
  const coupon = await makeCoupon(api);
  const endpoints = await Promise.all(Array.from({ length: 10 }, () => makeEndpoint(api, { script: () => 500 })));
  await makeCode(api, coupon.id);
  await Promise.all(endpoints.map(({ path }) => receiver.waitFor(path, 1)));

  // At any moment until the last attempt some of the ten wait. A single look may see messages that are being worked on,
  // those of other tests too; a look that sees none shows that waiting takes no place.
  const someStillWait = () => endpoints.some(({ path }) => receiver.at(path).length < attempts);
  const seen: number[] = [];
  while (someStillWait() && !seen.includes(0)) {
    seen.push(await messagesInFlight());
    await sleep(10);
  }
  client.destroy();
  expect(seen).toContain(0);
});
