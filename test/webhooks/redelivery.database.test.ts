import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import type { Outgoing } from '../../shared/platform/queue/send-batch.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { cancelled, newDelivery, type StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { RedeliveryMessage } from '../../shared/webhooks/delivery/redelivery-message.ts';
import { deliveries, events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import { retryDeliveries } from '../../shared/webhooks/delivery/retry-deliveries.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { at, now } from '../support/domain.ts';
import { failedAttempt, storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';

const minute = 60_000;

/** When the service had the endpoint switched off. */
const off = { missedSince: at(-60 * minute), missedUntil: at(-30 * minute) };

const setUp = async (endpoint: Partial<StoredWebhook> = {}) => {
  const program = await storeProgram();
  const webhook = await storeWebhook(program.id, endpoint);
  const sent: Outgoing[] = [];
  const goneOn: { message: RedeliveryMessage; delaySeconds: number }[] = [];
  const run = (changes: Partial<RedeliveryMessage> = {}) =>
    retryDeliveries(
      {
        programId: program.id,
        webhookId: webhook.id,
        step: 'FAILED',
        since: at(-120 * minute),
        requestedAt: at(0),
        ...changes,
      },
      {
        sendAttempts: async (outgoing) => void sent.push(...outgoing),
        goOn: async (message, delaySeconds) => void goneOn.push({ message, delaySeconds }),
      },
    );
  const storeEvent = async (milliseconds: number, type = 'coupon.created') => {
    const event = { id: newRecordId(new Date(at(milliseconds))), type, timestamp: at(milliseconds), body: '{}' };
    await writeTogether(events.createWrites(program.id, storedEvent(event as Parameters<typeof storedEvent>[0])));
    return event;
  };
  const deliveryOf = (event: { id: string; type: string; timestamp: string }, to = webhook) => newDelivery(event, to);
  const store = (delivery: StoredDelivery) => writeTogether(deliveries.createWrites(program.id, delivery));
  return { program, webhook, sent, goneOn, run, storeEvent, deliveryOf, store };
};

const failed: Partial<StoredDelivery> = { status: 'FAILED', attempts: [failedAttempt], nextAttemptAt: null };
/** Its id begins with its time, by which pages are limited. */
const madeAt = (milliseconds: number) => ({
  id: newRecordId(new Date(at(milliseconds))),
  createdAt: at(milliseconds),
});
const idsOf = (sent: readonly Outgoing[]) => sent.map(({ message }) => Object(message).deliveryId).sort();

describe('the redelivery of what failed', () => {
  it('asks for one more attempt of each delivery, and then for what was missed', async () => {
    const { program, webhook, sent, goneOn, run } = await setUp();
    const { delivery } = await storeDelivery(program.id, webhook, { ...failed, ...madeAt(-1000) });
    await run();
    expect(sent).toEqual([
      {
        groupId: webhook.id,
        delaySeconds: 0,
        message: {
          programId: program.id,
          deliveryId: delivery.id,
          eventId: delivery.eventId,
          webhookId: webhook.id,
          attempt: 0,
          byHand: { requestedAt: at(0), isForUndeliveredOnly: true },
        },
      },
    ]);
    const message = { programId: program.id, webhookId: webhook.id, since: at(-120 * minute), requestedAt: at(0) };
    expect(goneOn).toEqual([{ message: { ...message, step: 'MISSED' }, delaySeconds: 0 }]);
    expect(RedeliveryMessage.parse(JSON.parse(JSON.stringify(goneOn[0]?.message)))).toEqual({
      ...message,
      step: 'MISSED',
    });
  });

  it('is of failed, cancelled and failing deliveries of the endpoint since the moment alone', async () => {
    const { program, webhook, sent, run } = await setUp();
    const other = await storeWebhook(program.id);
    const made = async (fields: Partial<StoredDelivery>, to = webhook) =>
      (await storeDelivery(program.id, to, { ...madeAt(-1000), ...fields })).delivery;
    const wanted = [
      await made(failed),
      await made({ status: 'CANCELLED', nextAttemptAt: null }),
      await made({ attempts: [failedAttempt] }),
      await made({ ...failed, ...madeAt(-120 * minute) }),
    ];
    await made({ status: 'SUCCEEDED' });
    await made({});
    await made({ ...failed, ...madeAt(-120 * minute - 1) });
    await made({ ...failed, ...madeAt(0) });
    await made(failed, other);
    await run();
    expect(idsOf(sent)).toEqual(wanted.map(({ id }) => id).sort());
  });

  it('goes on with the next hundred after two seconds', async () => {
    const { program, webhook, sent, goneOn, run } = await setUp();
    const made = Array.from({ length: 101 }, (_, index) => {
      const event = { id: randomUUID(), type: 'coupon.created', timestamp: at(-1000 - index) };
      return cancelled(newDelivery(event, webhook), 'off', now);
    });
    await Promise.all(made.map((delivery) => writeTogether(deliveries.createWrites(program.id, delivery))));
    await run();
    expect(sent).toHaveLength(100);
    expect(goneOn).toEqual([
      { message: expect.objectContaining({ step: 'FAILED', after: expect.any(String) }), delaySeconds: 2 },
    ]);
    await run(goneOn[0]?.message);
    expect(idsOf(sent)).toEqual(made.map(({ id }) => id).sort());
    expect(goneOn[1]?.message).toMatchObject({ step: 'MISSED' });
    expect(goneOn[1]?.message.after).toBeUndefined();
  });
});

describe('the redelivery of what was missed', () => {
  it('makes a delivery of each event from five minutes before to five minutes after', async () => {
    const { program, webhook, sent, goneOn, run, storeEvent, deliveryOf } = await setUp({
      ...off,
      createdAt: at(-90 * minute),
    });
    const wanted = [await storeEvent(-65 * minute), await storeEvent(-45 * minute), await storeEvent(-25 * minute - 1)];
    await storeEvent(-65 * minute - 1);
    await storeEvent(-25 * minute);
    await run({ step: 'MISSED' });
    const made = wanted.map((event) => deliveryOf(event));
    expect(idsOf(sent)).toEqual(made.map(({ id }) => id).sort());
    expect(sent[0]).toMatchObject({ groupId: webhook.id, message: { attempt: 1 } });
    expect(sent[0]?.message).not.toHaveProperty('byHand');
    for (const delivery of made) expect(await deliveries.get(program.id, delivery.id)).toEqual(delivery);
    expect(goneOn).toEqual([]);
  });

  it('leaves out types that it does not want, tests, and what came before it or before the moment', async () => {
    const { sent, run, storeEvent, deliveryOf } = await setUp({
      ...off,
      eventTypes: ['sale.created', 'webhook.test'],
      createdAt: at(-50 * minute),
    });
    await storeEvent(-40 * minute, 'coupon.created');
    await storeEvent(-40 * minute, 'webhook.test');
    await storeEvent(-51 * minute, 'sale.created');
    const early = await storeEvent(-45 * minute, 'sale.created');
    const late = await storeEvent(-40 * minute, 'sale.created');
    await run({ step: 'MISSED', since: at(-41 * minute) });
    expect(idsOf(sent)).toEqual([deliveryOf(late).id]);
    await run({ step: 'MISSED' });
    expect(idsOf(sent).sort()).toEqual([deliveryOf(late).id, deliveryOf(late).id, deliveryOf(early).id].sort());
  });

  it('sends again what no attempt was made of, and nothing else that there is', async () => {
    const { sent, run, storeEvent, deliveryOf, store } = await setUp({ ...off, createdAt: at(-90 * minute) });
    const [waiting, failing, succeeded, stopped] = await Promise.all(
      [1, 2, 3, 4].map((minutes) => storeEvent((-40 + minutes) * minute).then((event) => deliveryOf(event))),
    );
    if (!waiting || !failing || !succeeded || !stopped) throw new Error('Four were made');
    await store(waiting);
    await store({ ...failing, attempts: [failedAttempt] });
    await store({ ...succeeded, status: 'SUCCEEDED', attempts: [{ ...failedAttempt, error: null }] });
    await store(cancelled(stopped, 'off', now));
    await run({ step: 'MISSED' });
    expect(idsOf(sent)).toEqual([waiting.id]);
  });

  it.each<Partial<StoredWebhook>>([{}, { missedSince: at(-60 * minute) }, { missedUntil: at(-30 * minute) }])(
    'is nothing where nothing was missed: %j',
    async (endpoint) => {
      const { sent, goneOn, run, storeEvent } = await setUp(endpoint);
      await storeEvent(-20_000);
      await run({ step: 'MISSED' });
      expect([sent, goneOn]).toEqual([[], []]);
    },
  );

  it('goes on with the next hundred after two seconds, and ends', async () => {
    const { sent, goneOn, run, storeEvent } = await setUp({ ...off, createdAt: at(-90 * minute) });
    await Promise.all(Array.from({ length: 101 }, (_, index) => storeEvent(-40 * minute + index)));
    await run({ step: 'MISSED' });
    expect(sent).toHaveLength(100);
    expect(goneOn).toEqual([
      { message: expect.objectContaining({ step: 'MISSED', after: expect.any(String) }), delaySeconds: 2 },
    ]);
    await run(goneOn[0]?.message);
    expect(new Set(idsOf(sent)).size).toBe(101);
    expect(goneOn).toHaveLength(1);
  });
});

describe('a redelivery', () => {
  it.each<{ what: string; change: (made: Awaited<ReturnType<typeof setUp>>) => Promise<unknown>; endpoint?: object }>([
    { what: 'is off', endpoint: { active: false }, change: async () => {} },
    { what: 'has lost its plan', change: ({ program }) => setPlan(program.ownerEmail, 'FREE') },
    { what: 'has lost its program', change: ({ program }) => deleteProgram(program.id) },
  ])('to an endpoint that $what since is nothing', async ({ change, endpoint }) => {
    const made = await setUp({ ...off, ...endpoint, createdAt: at(-90 * minute) });
    await storeDelivery(made.program.id, made.webhook, { ...failed, ...madeAt(-1000) });
    await made.storeEvent(-40 * minute);
    await change(made);
    for (const step of ['FAILED', 'MISSED'] as const) await made.run({ step });
    expect([made.sent, made.goneOn]).toEqual([[], []]);
  });

  it('to an endpoint that is gone is nothing', async () => {
    const { sent, goneOn, run } = await setUp();
    await run({ webhookId: randomUUID() });
    expect([sent, goneOn]).toEqual([[], []]);
  });
});
