import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/events.ts';
import { makeCoupon, makeProgram } from '../support/program.ts';
import {
  attemptsOfSchedule,
  deliveryOf,
  deliveryUntil,
  makeEndpoint,
  receiver,
  responded,
  testOf,
  useReceiver,
} from './scripted-endpoints.ts';

useReceiver();

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
