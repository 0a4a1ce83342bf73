import { randomUUID } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/events.ts';
import { type Api, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { type Received, type Reply, type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

// Over HTTP only, with real receivers. The schedule has three waits of a second: see test/support/running-stack.ts.

const attemptsOfSchedule = 4;

const scripts = new Map<string, (received: Received) => Reply>();
let receiver: ScriptedReceiver;

beforeAll(async () => {
  receiver = await startScriptedReceiver((received) => scripts.get(received.path)?.(received) ?? 204);
});
afterAll(() => receiver.stop());

/** An endpoint with a path of its own, for promotional codes unless said otherwise. */
const makeEndpoint = async (api: Api, { script, ...fields }: { script?: () => Reply; eventTypes?: string[] } = {}) => {
  const path = `/${randomUUID()}`;
  if (script) scripts.set(path, script);
  const body = { url: receiver.url(path), eventTypes: ['promotional_code.created'], ...fields };
  const response = await api.post('/webhooks', body);
  expect(response.status, response.text).toBe(200);
  return { path, id: response.body.id as string, secret: response.body.secret as string };
};

const responded = async (asking: ReturnType<Api['post']>) => {
  const response = await asking;
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const testOf = (api: Api, webhookId: string, more: object = {}) =>
  responded(api.post('/webhooks/test', { webhookId, ...more }));

const deliveryOf = async (api: Api, id: string) => (await api.get(`/webhook-deliveries?id=${id}`)).body;

/** The delivery as soon as it has a status, and that many attempts. */
const deliveryUntil = (api: Api, id: string, status: string, attempts: number) =>
  eventually(`${status} with ${attempts} attempts`, async () => {
    const delivery = await deliveryOf(api, id);
    return delivery.status === status && delivery.attempts.length >= attempts && delivery;
  });

const listed = async (api: Api, query: string): Promise<string[]> =>
  (await api.get(`/webhook-deliveries?${query}`)).body.map(({ id }: { id: string }) => id);

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

it('the feed of events has what GET /events lists, tests included, oldest first; a position is bound to what it was made for', async () => {
  const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
  const beginning = await api.get('/events?after=now');
  expect(beginning).toMatchObject({ status: 200, body: [] });
  expect(beginning.headers.get('link')).toBeNull();
  const { id: webhookId } = await makeEndpoint(api);
  await testOf(api, webhookId);
  const coupon = await makeCoupon(api);
  await responded(api.put('/coupons', { couponId: coupon.id, name: 'Autumn' }));
  await eventually('three events', async () => (await api.get('/events')).body.length === 3);
  const position = beginning.headers.get('next-after') ?? '';
  const all = await eventually('three events in the feed', async () => {
    const feed = await api.get(`/events?after=${position}`);
    return feed.body.length === 3 && feed;
  });
  const types = ({ body }: { body: { type: string }[] }) => body.map(({ type }) => type);
  expect(types(all)[0]).toBe('webhook.test');
  expect(types(all).toSorted()).toEqual(['coupon.created', 'coupon.updated', 'webhook.test']);
  expect(all.headers.get('link')).toBeNull();
  const [listed] = (await api.get('/events?type=webhook.test')).body;
  expect(all.body[0]).toEqual(listed);

  let next = '/events?limit=1&after=start';
  const walked: unknown[] = [];
  while (next) {
    const { body, headers } = await api.get(next);
    walked.push(...body);
    next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
  }
  expect(walked).toEqual(all.body);
  const ofType = await api.get('/events?after=start&type=webhook.test');
  expect(ofType.body).toEqual([listed]);

  const end = all.headers.get('next-after') ?? '';
  expect((await api.get(`/events?after=${end}`)).body).toEqual([]);
  const [cursor] = (await api.get('/events?limit=1')).headers.get('link')?.match(/(?<=cursor=)[^>]+/) ?? [];
  for (const [client, query, path] of [
    [api, `after=${end}&type=coupon.created`, 'after'],
    [other, `after=${end}`, 'after'],
    [api, `after=${end}x`, 'after'],
    [api, 'after=yesterday', 'after'],
    [api, `after=${cursor}`, 'after'],
    [api, `cursor=${end}`, 'cursor'],
    [api, `after=${end}&cursor=${cursor}`, 'cursor'],
    [api, `after=${end}&createdAfter=2026-01-01`, 'createdAfter'],
  ] as const)
    expect(await client.get(`/events?${query}`)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

describe.concurrent('a retry by hand', () => {
  it('that fails stands beside the schedule, which goes on to its end', async () => {
    const api = await makeProgram();
    const { id: webhookId, path } = await makeEndpoint(api, { script: () => 500 });
    const { id } = await testOf(api, webhookId);
    await deliveryUntil(api, id, 'PENDING', 1);
    expect(await responded(api.post('/webhook-deliveries/retry', { deliveryId: id }))).toEqual({
      message: 'The delivery is being sent again',
      webhookId,
      deliveryId: id,
    });
    const failed = await deliveryUntil(api, id, 'FAILED', attemptsOfSchedule + 1);
    expect(failed.attempts.filter(({ manual }: { manual: boolean }) => manual)).toHaveLength(1);
    const times = failed.attempts.map(({ attemptedAt }: { attemptedAt: string }) => attemptedAt);
    expect(times).toEqual(times.toSorted());
    expect(new Set(receiver.at(path).map(({ body, headers }) => headers['webhook-id'] + body)).size).toBe(1);
    expect(receiver.at(path)).toHaveLength(attemptsOfSchedule + 1);
  });

  it('that succeeds ends the schedule', async () => {
    const api = await makeProgram();
    let healthy = false;
    const { id: webhookId, path } = await makeEndpoint(api, { script: () => (healthy ? 204 : 500) });
    const { id } = await testOf(api, webhookId);
    const { nextAttemptAt } = await deliveryUntil(api, id, 'PENDING', 1);
    healthy = true;
    await responded(api.post('/webhook-deliveries/retry', { deliveryId: id }));
    await deliveryUntil(api, id, 'SUCCEEDED', 2);
    await eventually('the attempt would have been due', async () => Date.now() > Date.parse(nextAttemptAt) + 500);
    const done = await deliveryOf(api, id);
    expect(done.nextAttemptAt).toBeNull();
    // On a busy machine the schedule may be first, or be at it; whichever succeeded, the schedule began no other.
    const success = done.attempts.find(({ error }: { error: string | null }) => error === null);
    const endedAt = Date.parse(success.attemptedAt) + success.durationMilliseconds + 200;
    for (const attempt of done.attempts)
      if (Date.parse(attempt.attemptedAt) > endedAt) expect(attempt.manual).toBe(true);
    expect(receiver.at(path).length).toBeGreaterThanOrEqual(2);
  });

  it('sends what has succeeded once more', async () => {
    const api = await makeProgram();
    const { id: webhookId, path } = await makeEndpoint(api);
    const { id } = await testOf(api, webhookId);
    await deliveryUntil(api, id, 'SUCCEEDED', 1);
    await responded(api.post('/webhook-deliveries/retry', { deliveryId: id }));
    await deliveryUntil(api, id, 'SUCCEEDED', 2);
    const [first, second] = receiver.at(path);
    expect(second?.body).toBe(first?.body);
  });

  it('is refused, with the reason, where nothing can be sent', async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const [off, gone, foreign] = [await makeEndpoint(api), await makeEndpoint(api), await makeEndpoint(other)];
    const [toOff, toGone] = [await testOf(api, off.id), await testOf(api, gone.id)];
    const foreignDelivery = await testOf(other, foreign.id);
    await responded(api.put('/webhooks', { webhookId: off.id, active: false }));
    await responded(api.delete('/webhooks', { webhookId: gone.id }));
    const since = new Date(Date.now() - 60_000).toISOString();
    const month = 30 * 24 * 3_600_000;
    const cases: [object, number, RegExp][] = [
      [{ deliveryId: toOff.id }, 409, /not active/],
      [{ webhookId: off.id, since }, 409, /not active/],
      [{ deliveryId: toGone.id }, 409, /was deleted/],
      [{ webhookId: gone.id, since }, 404, /^Webhook not found$/],
      [{ webhookId: foreign.id, since }, 404, /^Webhook not found$/],
      [{ deliveryId: foreignDelivery.id }, 404, /^Delivery not found$/],
      [{ deliveryId: randomUUID() }, 404, /^Delivery not found$/],
      [{}, 400, /^deliveryId or webhookId is required$/],
      [{ webhookId: off.id }, 400, /^since is required with webhookId$/],
      [{ deliveryId: toOff.id, webhookId: off.id }, 400, /^webhookId cannot be given/],
      [{ deliveryId: toOff.id, since }, 400, /^since goes with webhookId/],
      [
        { webhookId: off.id, since: new Date(Date.now() - month - 60_000).toISOString() },
        400,
        /^since must lie within/,
      ],
      [{ webhookId: off.id, since: new Date(Date.now() + 60_000).toISOString() }, 400, /^since must lie within/],
    ];
    for (const [body, status, sentence] of cases) {
      const response = await api.post('/webhook-deliveries/retry', body);
      expect(response.status, JSON.stringify(body)).toBe(status);
      expect(response.body.error).toMatch(sentence);
    }
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
