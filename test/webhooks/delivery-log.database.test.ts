import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '../../shared/contract/webhook-deliveries.ts';
import { withAttemptBeside } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { listDeliveries } from '../../shared/webhooks/delivery/list-deliveries.ts';
import {
  deliveries,
  deliveriesThatAre,
  events,
  eventsOfType,
  isVisible,
  storedEvent,
  undeliveredTo,
} from '../../shared/webhooks/delivery/repository.ts';
import { deliveryResponse, eventResponse } from '../../shared/webhooks/delivery/responses.ts';
import { retryDeliveriesSince, retryDelivery } from '../../shared/webhooks/delivery/retry.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { costOf } from '../support/capacity.ts';
import { at, now, outcomeOf } from '../support/domain.ts';
import { testQueues } from '../support/queues.ts';
import { failedAttempt, storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';
import { makeStoredDelivery } from './fixtures.ts';

const { sent, sentTo } = testQueues();
const days = 24 * 60 * 60 * 1000;

describe('the log of deliveries', () => {
  const setUp = async () => {
    const program = await storeProgram();
    const [one, other] = [await storeWebhook(program.id), await storeWebhook(program.id)];
    const subscription = await storeWebhook(program.id, {}, 'CONNECTOR');
    const make = async (status: DeliveryStatus, to = one) =>
      (await storeDelivery(program.id, to, { status, ...(to === subscription && { connection: 'CONNECTOR' }) }))
        .delivery;
    const made = {
      pending: await make('PENDING'),
      succeeded: await make('SUCCEEDED'),
      failed: await make('FAILED'),
      cancelled: await make('CANCELLED'),
      otherFailed: await make('FAILED', other),
      otherSucceeded: await make('SUCCEEDED', other),
    };
    for (const status of ['PENDING', 'SUCCEEDED', 'FAILED'] as const) await make(status, subscription);
    const list = async (filters: Parameters<typeof listDeliveries>[1]) => {
      const { items } = await listDeliveries(program.id, filters, { limit: 100 });
      return Object.entries(made).flatMap(([name, { id }]) => (items.some((item) => item.id === id) ? [name] : []));
    };
    const countOf = async (filters: Parameters<typeof listDeliveries>[1]) =>
      (await listDeliveries(program.id, filters, { limit: 100 })).items.length;
    return { program, one, other, subscription, made, list, countOf };
  };

  it('has what its filters say together, and nothing of subscriptions', async () => {
    const { one, other, subscription, made, list, countOf } = await setUp();
    expect(await list({})).toEqual(Object.keys(made));
    expect(await countOf({})).toBe(6);
    expect(await countOf({ webhookId: subscription.id })).toBe(0);
    expect(await countOf({ webhookId: one.id })).toBe(4);
    for (const [status, names] of [
      ['PENDING', ['pending']],
      ['SUCCEEDED', ['succeeded', 'otherSucceeded']],
      ['FAILED', ['failed', 'otherFailed']],
      ['CANCELLED', ['cancelled']],
    ] as const) {
      expect(await list({ status })).toEqual(names);
      expect(await countOf({ status })).toBe(names.length);
      const ofOne = names.filter((name) => !name.startsWith('other'));
      expect(await list({ status, webhookId: one.id })).toEqual(ofOne);
      expect(await countOf({ status, webhookId: one.id })).toBe(ofOne.length);
    }
    expect(await list({ webhookId: other.id })).toEqual(['otherFailed', 'otherSucceeded']);
    expect(await list({ webhookId: randomUUID() })).toEqual([]);
  });

  it('of an event has the deliveries of that event alone', async () => {
    const { one, other, made, list } = await setUp();
    const { eventId } = made.failed;
    expect(await list({ eventId })).toEqual(['failed']);
    expect(await list({ eventId, webhookId: one.id, status: 'FAILED' })).toEqual(['failed']);
    expect(await list({ eventId, webhookId: other.id })).toEqual([]);
    expect(await list({ eventId, status: 'SUCCEEDED' })).toEqual([]);
    expect(await list({ eventId: randomUUID() })).toEqual([]);
  });

  it('reads few of many where a filter names few', async () => {
    const { program, one, other, made } = await setUp();
    const large = { attempts: [{ ...failedAttempt, responseBody: 'a'.repeat(4000) }] };
    const fill = (to: typeof one, status: DeliveryStatus) =>
      Array.from({ length: 30 }, () => storeDelivery(program.id, to, { ...large, status }));
    await Promise.all([...fill(one, 'SUCCEEDED'), ...fill(other, 'FAILED'), ...fill(other, 'CANCELLED')]);
    const unitsOf = async (filters: Parameters<typeof listDeliveries>[1]) =>
      (await costOf(() => listDeliveries(program.id, filters, { limit: 100 }))).readUnits;
    const all = await unitsOf({ webhookId: one.id });
    for (const filters of [
      { webhookId: one.id, status: 'FAILED' },
      { webhookId: one.id, status: 'CANCELLED' },
      { webhookId: one.id, status: 'PENDING' },
      { webhookId: one.id, eventId: made.failed.eventId },
      { status: 'PENDING' },
    ] as const)
      expect(await unitsOf(filters), JSON.stringify(filters)).toBeLessThan(all / 3);
  });

  it('has an index of what is under way or not delivered, which others leave', async () => {
    const { program, one, made } = await setUp();
    const idsIn = async (index: Parameters<typeof deliveries.page>[2]) =>
      (await deliveries.page(program.id, { limit: 100 }, index)).items.map(({ id }) => id).sort();
    expect(await idsIn(undeliveredTo(one.id))).toEqual([made.failed.id, made.cancelled.id].sort());
    expect(await idsIn(deliveriesThatAre('PENDING'))).toContain(made.pending.id);
    expect(await idsIn({ index: 'GSI3', parts: ['STATUS', 'SUCCEEDED'] })).toEqual([]);
    const { items } = await events.page(program.id, { limit: 100 }, eventsOfType('coupon.created'));
    expect(items.map(({ id }) => id)).toContain(made.failed.eventId);
    expect((await events.page(program.id, { limit: 100 }, eventsOfType('sale.created'))).items).toEqual([]);
  });
});

describe('a delivery that is sent again by hand', () => {
  it('is asked for at once, whatever became of it', async () => {
    const program = await storeProgram();
    const webhook = await storeWebhook(program.id);
    for (const status of ['FAILED', 'SUCCEEDED', 'CANCELLED', 'PENDING'] as const) {
      sent.length = 0;
      const { delivery } = await storeDelivery(program.id, webhook, { status });
      expect(await retryDelivery(program.id, delivery.id, now)).toEqual(delivery);
      const { id: deliveryId, eventId } = delivery;
      const message = { programId: program.id, deliveryId, eventId, webhookId: webhook.id, attempt: 0 };
      const byHand = { requestedAt: at(0), isForUndeliveredOnly: false };
      expect(sent).toMatchObject([{ queue: 'deliveries', body: { ...message, byHand }, groupId: webhook.id }]);
    }
  });

  it('is refused where there is no such delivery, or no active endpoint', async () => {
    const program = await storeProgram();
    const webhook = await storeWebhook(program.id);
    const retry = (id: string) => outcomeOf(() => retryDelivery(program.id, id, now));
    const make = async (fields: Parameters<typeof storeDelivery>[2] = {}, to = webhook) =>
      (await storeDelivery(program.id, to, fields)).delivery.id;
    expect(await retry(randomUUID())).toEqual({ status: 404 });
    expect(await retry(await make({ connection: 'CONNECTOR' }))).toEqual({ status: 404 });
    expect(await retry(await make({ createdAt: at(-30 * days - 1) }))).toEqual({ status: 404 });
    expect(await retry(await make({ createdAt: at(-30 * days) }))).toBe('accepted');
    const inactive = await storeWebhook(program.id, { active: false });
    expect(await retry(await make({}, inactive))).toEqual({ status: 409 });
    const id = await make();
    await deleteWebhook(program.id, webhook.id, new Date());
    await expect(retryDelivery(program.id, id, now)).rejects.toThrow('The endpoint of this delivery was deleted');
    expect(sent).toHaveLength(1);
  });

  it.each([
    { since: at(0), outcome: 'accepted' },
    { since: at(1), outcome: { status: 400, path: 'since' } },
    { since: at(-30 * days), outcome: 'accepted' },
    { since: at(-30 * days - 1), outcome: { status: 400, path: 'since' } },
  ])('with all since $since is asked for within 30 days: $outcome', async ({ since, outcome }) => {
    const program = await storeProgram();
    const webhook = await storeWebhook(program.id);
    expect(await outcomeOf(() => retryDeliveriesSince(program.id, webhook.id, since, now))).toEqual(outcome);
    const body = { programId: program.id, webhookId: webhook.id, since, requestedAt: at(0), step: 'FAILED' };
    const expected = outcome === 'accepted' ? [expect.objectContaining({ body, groupId: webhook.id })] : [];
    expect(sentTo('redeliveries')).toEqual(expected);
  });

  it('with all since a moment is refused without an active endpoint of its own', async () => {
    const program = await storeProgram();
    const inactive = await storeWebhook(program.id, { active: false });
    const subscription = await storeWebhook(program.id, {}, 'CONNECTOR');
    const retry = (id: string) => outcomeOf(() => retryDeliveriesSince(program.id, id, at(-1000), now));
    expect(await retry(inactive.id)).toEqual({ status: 409 });
    expect(await retry(subscription.id)).toEqual({ status: 404 });
    expect(await retry(randomUUID())).toEqual({ status: 404 });
    expect(sent).toEqual([]);
  });
});

describe('the response with a delivery', () => {
  it('has its attempts in their order, and says which were made by hand', () => {
    const attemptAt = (seconds: number) => ({ ...failedAttempt, attemptedAt: at(seconds * 1000) });
    const delivery = makeStoredDelivery({
      attempts: [attemptAt(1), attemptAt(30)],
      manualAttempts: [attemptAt(10), attemptAt(40)],
    });
    const { attempts, ...response } = deliveryResponse(delivery);
    expect(attempts).toEqual([
      { ...attemptAt(1), manual: false },
      { ...attemptAt(10), manual: true },
      { ...attemptAt(30), manual: false },
      { ...attemptAt(40), manual: true },
    ]);
    expect(response).not.toHaveProperty('manualAttempts');
    expect(response).toMatchObject({ id: delivery.id, status: 'PENDING', eventType: 'coupon.created' });
  });

  it('keeps the bodies of the last eight responses of each kind', () => {
    const attempts = Array.from({ length: 8 }, (_, index) => ({ ...failedAttempt, responseBody: `body ${index}` }));
    const delivery = makeStoredDelivery({ attempts, manualAttempts: attempts });
    const ninth = { ...failedAttempt, responseBody: 'body 8' };
    const late = withAttemptBeside(delivery, 'attempts', ninth, now);
    expect(late.attempts.map(({ responseBody }) => responseBody)).toEqual([
      null,
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((index) => `body ${index}`),
    ]);
    expect(late.manualAttempts).toEqual(attempts);
    const byHand = withAttemptBeside(delivery, 'manualAttempts', ninth, now);
    expect(byHand.manualAttempts).toEqual([...attempts.slice(1), ninth]);
    expect(byHand.attempts).toEqual(attempts);
    expect(byHand).toMatchObject({ status: 'PENDING', updatedAt: now.toISOString() });
  });
});

describe('a stored event', () => {
  const event = {
    id: randomUUID(),
    type: 'coupon.created' as const,
    timestamp: at(0),
    body: '{"actor":{"type":"API_KEY"},"data":{"a":1}}',
  };

  it('is kept two days longer than its deliveries, and knows the end of the feed', () => {
    const { body, type, id } = event;
    const times = { createdAt: at(0), updatedAt: at(0), version: 1, ttl: Date.parse(at(0)) / 1000 + 32 * 24 * 60 * 60 };
    expect(storedEvent(event)).toEqual({ id, type, body, ...times });
    expect(storedEvent(event)).not.toHaveProperty('feedAfter');
    expect(storedEvent(event, 0)).toEqual({ id, type, body, ...times, feedAfter: 0 });
  });

  it('is shown with all of its body, and without an actor where it has none', () => {
    const shown = eventResponse(storedEvent(event));
    expect(shown).toMatchObject({ id: event.id, type: event.type, actor: { type: 'API_KEY' }, data: { a: 1 } });
    expect(shown).not.toHaveProperty('body');
    expect(eventResponse(storedEvent({ ...event, body: '{"data":{}}' }))).toMatchObject({ actor: null, data: {} });
  });
});

it.each([
  { connection: null, age: 30 * days, visible: true },
  { connection: null, age: 30 * days + 1, visible: false },
  { connection: 'CONNECTOR' as const, age: 0, visible: false },
])('a delivery of $connection and $age ms is visible: $visible', ({ connection, age, visible }) => {
  expect(isVisible(makeStoredDelivery({ connection, createdAt: at(-age) }), now)).toBe(visible);
});
