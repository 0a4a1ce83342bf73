import { randomUUID } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/events.ts';
import { makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { type Received, startScriptedReceiver } from '../support/receiver.ts';
import {
  attemptsOfSchedule,
  deliveryOf,
  deliveryUntil,
  listed,
  makeEndpoint,
  receiver,
  responded,
  testOf,
  useReceiver,
} from './scripted-endpoints.ts';

useReceiver();

describe.concurrent('a rotated secret', () => {
  const isAccepted = (Verifier: typeof StandardWebhook | typeof SvixWebhook, secret: string, received?: Received) => {
    try {
      new Verifier(secret).verify(received?.body ?? '', {
        'webhook-id': String(received?.headers['webhook-id']),
        'webhook-timestamp': String(received?.headers['webhook-timestamp']),
        'webhook-signature': String(received?.headers['webhook-signature']),
      });
      return true;
    } catch {
      return false;
    }
  };

  it('and the one before both sign, as standardwebhooks and svix verify; the one before that does not', async () => {
    const api = await makeProgram();
    const { id: webhookId, path, secret: oldest } = await makeEndpoint(api);
    const first = await responded(api.post('/webhooks/rotate-secret', { webhookId }));
    await testOf(api, webhookId);
    await receiver.waitFor(path, 1);
    const second = await responded(api.post('/webhooks/rotate-secret', { webhookId }));
    await testOf(api, webhookId);
    const [afterOne, afterTwo] = await receiver.waitFor(path, 2);
    for (const Verifier of [StandardWebhook, SvixWebhook]) {
      const accepted = (received?: Received) =>
        [oldest, first.secret, second.secret].map((secret) => isAccepted(Verifier, secret, received));
      expect(accepted(afterOne)).toEqual([true, true, false]);
      expect(accepted(afterTwo)).toEqual([false, true, true]);
    }
  });

  it('has the form of the first one, and the response says until when that one signs', async () => {
    const api = await makeProgram();
    const { id: webhookId, secret } = await makeEndpoint(api);
    const before = Date.now();
    const rotated = await responded(api.post('/webhooks/rotate-secret', { webhookId }));
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(secret);
    expect(Date.parse(rotated.previousSecretUntil) - before).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(Date.parse(rotated.previousSecretUntil) - before).toBeLessThan(24 * 3_600_000 + 10_000);
    expect((await api.get(`/webhooks?id=${webhookId}`)).body).toEqual(rotated);
  });

  it('is one of as many as were asked for at once, the last two of which sign', async () => {
    const api = await makeProgram();
    const { id: webhookId, path } = await makeEndpoint(api);
    const rotations = await Promise.all(
      Array.from({ length: 4 }, () => responded(api.post('/webhooks/rotate-secret', { webhookId }))),
    );
    await testOf(api, webhookId);
    const [received] = await receiver.waitFor(path, 1);
    expect(rotations.filter(({ secret }) => isAccepted(StandardWebhook, secret, received))).toHaveLength(2);
    const { secret } = (await api.get(`/webhooks?id=${webhookId}`)).body;
    expect(isAccepted(StandardWebhook, secret, received)).toBe(true);
  });
});

describe.concurrent('a test', () => {
  it('comes to that endpoint alone, whatever it asked for, and is an event and a delivery like every other', async () => {
    const api = await makeProgram();
    const tested = await makeEndpoint(api, { eventTypes: ['link.deleted'] });
    const everything = await makeEndpoint(api, { eventTypes: ['*'] });
    const delivery = await testOf(api, tested.id, { eventType: 'sale.refunded' });
    expect(delivery).toMatchObject({
      webhookId: tested.id,
      eventType: 'webhook.test',
      status: 'PENDING',
      attempts: [],
    });

    const [received] = await receiver.waitFor(tested.path, 1);
    expect(received?.event).toMatchObject({
      id: delivery.eventId,
      type: 'webhook.test',
      data: { webhookId: tested.id, example: { type: 'sale.refunded', data: { status: expect.any(String) } } },
    });
    const {
      createdAt: _createdAt,
      updatedAt: _updatedAt,
      ...event
    } = (await api.get(`/events?id=${delivery.eventId}`)).body;
    expect(event).toEqual(received?.event);
    await deliveryUntil(api, delivery.id, 'SUCCEEDED', 1);
    // What comes after it shows that it would have come.
    const coupon = await makeCoupon(api);
    const [next] = await receiver.waitFor(everything.path, 1);
    expect(next?.event.data.id).toBe(coupon.id);
    expect(await listed(api, `eventId=${delivery.eventId}`)).toEqual([delivery.id]);
  });

  it('is refused where the endpoint is off, or is not there', async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const { id: webhookId } = await makeEndpoint(api);
    const foreign = await makeEndpoint(other);
    await responded(api.put('/webhooks', { webhookId, active: false }));
    const off = await api.post('/webhooks/test', { webhookId });
    expect(off.status).toBe(409);
    expect(off.body.error).toContain('not active');
    expect((await api.post('/webhooks/test', { webhookId: foreign.id })).status).toBe(404);
    expect((await api.get('/events')).body).toEqual([]);
    expect((await api.get('/webhook-deliveries')).body).toEqual([]);
  });
});

describe.concurrent('the log', () => {
  it('has every attempt with its time, duration, response and error, and when the next one is due', async () => {
    const api = await makeProgram();
    let healthy = false;
    const { id: webhookId } = await makeEndpoint(api, {
      script: () => (healthy ? { status: 201, body: 'thank you' } : { status: 503, body: 'not now' }),
    });
    const { id, createdAt } = await testOf(api, webhookId);
    const waiting = await deliveryUntil(api, id, 'PENDING', 1);
    healthy = true;
    const failed = {
      attemptedAt: expect.stringMatching(/Z$/),
      durationMilliseconds: expect.any(Number),
      responseStatus: 503,
      responseBody: 'not now',
      error: 'returned 503',
      manual: false,
    };
    expect(waiting.attempts).toEqual(waiting.attempts.map(() => failed));
    expect(Date.parse(waiting.nextAttemptAt)).toBeGreaterThan(Date.parse(createdAt));
    const done = await deliveryUntil(api, id, 'SUCCEEDED', 2);
    expect(done.attempts).toEqual([
      ...done.attempts.slice(1).map(() => failed),
      { ...failed, responseStatus: 201, responseBody: 'thank you', error: null },
    ]);
    expect(done.nextAttemptAt).toBeNull();
  });

  it('is found by endpoint, event and status, and by any two or three of them', async () => {
    const api = await makeProgram();
    const dead = await makeEndpoint(api, { eventTypes: ['coupon.created'], script: () => 410 });
    const alive = await makeEndpoint(api, { eventTypes: ['coupon.created'] });
    const silent = await startScriptedReceiver(() => 'hang');
    const waiting = await responded(api.post('/webhooks', { url: silent.url('/'), eventTypes: ['coupon.created'] }));
    await makeCoupon(api);
    const all = await eventually('three deliveries, two of them settled', async () => {
      const { body } = await api.get('/webhook-deliveries');
      return (
        body.length === 3 && body.filter(({ status }: { status: string }) => status !== 'PENDING').length === 2 && body
      );
    });
    const idOf = (endpoint: { id: string }) =>
      all.find((one: { webhookId: string }) => one.webhookId === endpoint.id)?.id;
    const { eventId } = all[0];
    const found: [string, { id: string }][] = [
      ['status=FAILED', dead],
      ['status=SUCCEEDED', alive],
      ['status=PENDING', waiting],
      [`webhookId=${dead.id}`, dead],
      [`webhookId=${alive.id}`, alive],
      [`webhookId=${dead.id}&status=FAILED`, dead],
      [`webhookId=${alive.id}&status=SUCCEEDED`, alive],
      [`webhookId=${waiting.id}&status=PENDING`, waiting],
      [`webhookId=${alive.id}&eventId=${eventId}`, alive],
      [`eventId=${eventId}&status=FAILED`, dead],
      [`webhookId=${waiting.id}&eventId=${eventId}&status=PENDING`, waiting],
    ];
    for (const [query, endpoint] of found) expect(await listed(api, query), query).toEqual([idOf(endpoint)]);
    for (const query of [
      'status=CANCELLED',
      `webhookId=${dead.id}&status=SUCCEEDED`,
      `webhookId=${dead.id}&status=PENDING`,
      `webhookId=${dead.id}&status=CANCELLED`,
      `webhookId=${alive.id}&eventId=${eventId}&status=FAILED`,
      `webhookId=${randomUUID()}`,
      `eventId=${randomUUID()}`,
    ])
      expect(await listed(api, query), query).toEqual([]);
    expect(await listed(api, `eventId=${eventId}`)).toHaveLength(3);
    // Nobody is to come back to it.
    await api.delete('/webhooks', { webhookId: waiting.id });
    silent.stop();
  });

  it('of events holds what webhooks got, with what an edit changed, by type', async () => {
    const api = await makeProgram();
    const { path } = await makeEndpoint(api, { eventTypes: ['coupon.updated'] });
    const coupon = await makeCoupon(api);
    await responded(api.put('/coupons', { couponId: coupon.id, name: 'Autumn' }));
    const [received] = await receiver.waitFor(path, 1);
    const [event, ...others] = (await api.get('/events?type=coupon.updated')).body;
    expect(others).toEqual([]);
    expect(event).toMatchObject(received?.event);
    expect(event.previousAttributes).toEqual({ name: 'Spring' });
    expect((await api.get('/events')).body.map(({ type }: { type: string }) => type)).toEqual([
      'coupon.updated',
      'coupon.created',
    ]);
  });
});

describe.concurrent('a retry of everything since a moment', () => {
  it('sends what has failed or waits since then, once, and nothing that has arrived', async () => {
    const api = await makeProgram();
    let response = 500;
    const { id: webhookId, path } = await makeEndpoint(api, { script: () => response });
    const { id: before } = await testOf(api, webhookId);
    const { id: failed, createdAt: since } = await testOf(api, webhookId);
    await Promise.all([before, failed].map((id) => deliveryUntil(api, id, 'FAILED', attemptsOfSchedule)));
    response = 204;
    const { id: arrived } = await testOf(api, webhookId);
    await deliveryUntil(api, arrived, 'SUCCEEDED', 1);
    response = 500;
    const { id: waiting } = await testOf(api, webhookId);
    await receiver.waitFor(path, 2 * attemptsOfSchedule + 2);
    response = 204;

    const asked = await responded(api.post('/webhook-deliveries/retry', { webhookId, since }));
    expect(asked).toEqual({ message: 'The deliveries are being sent again', webhookId, since });
    const done = await deliveryUntil(api, failed, 'SUCCEEDED', attemptsOfSchedule + 1);
    expect(done.attempts.at(-1)).toMatchObject({ manual: true, responseStatus: 204 });
    // By hand, or on a busy machine by its schedule.
    await deliveryUntil(api, waiting, 'SUCCEEDED', 2);
    expect(await deliveryOf(api, before)).toMatchObject({ status: 'FAILED' });
    expect((await deliveryOf(api, arrived)).attempts).toHaveLength(1);
    const sent = receiver.at(path).map(({ event }) => event.id);
    expect(sent.filter((id) => id === done.eventId)).toHaveLength(attemptsOfSchedule + 1);
  });

  it('brings what an endpoint missed while it was switched off, after it is on again', async () => {
    const api = await makeProgram();
    let response = 410;
    const { id: webhookId, path } = await makeEndpoint(api, { script: () => response });
    const coupon = await makeCoupon(api);
    const refused = await makeCode(api, coupon.id);
    await eventually('the endpoint is off', async () => !(await api.get(`/webhooks?id=${webhookId}`)).body.active);
    const missed = await makeCode(api, coupon.id);
    await eventually(
      'its event',
      async () => (await api.get('/events?type=promotional_code.created')).body.length === 2,
    );
    response = 204;
    const on = await responded(api.put('/webhooks', { webhookId, active: true }));
    expect(on).toMatchObject({ active: true, deactivationReason: null, deactivatedAt: null });
    const fresh = await makeCode(api, coupon.id);
    await receiver.waitFor(path, 2);
    expect(receiver.at(path).map(({ event }) => event.data.id)).toEqual([refused.id, fresh.id]);

    await responded(api.post('/webhook-deliveries/retry', { webhookId, since: coupon.createdAt }));
    const received = await receiver.waitFor(path, 4);
    expect(
      received
        .slice(2)
        .map(({ event }) => event.data.id)
        .sort(),
    ).toEqual([refused.id, missed.id].sort());
    await eventually(
      'all in the log',
      async () => (await listed(api, `webhookId=${webhookId}&status=SUCCEEDED`)).length === 3,
    );
  });
});
