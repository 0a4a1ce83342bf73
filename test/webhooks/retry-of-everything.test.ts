import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Outgoing } from '../../shared/platform/queue/send-batch.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import { DeliveryMessage } from '../../shared/webhooks/delivery/delivery-message.ts';
import { newDelivery, type StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import type { RedeliveryMessage } from '../../shared/webhooks/delivery/redelivery-message.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { retryDeliveries } from '../../shared/webhooks/delivery/retry-deliveries.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { changedWebhook, type StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { makeStoredDelivery } from './fixtures.ts';
import { api, clock, eventAt, later, made, programId, responding, useOwnQueue } from './retries-in-process.ts';

useOwnQueue();

/** Runs a retry to its end as the queue would, and returns its steps: what each sent, and how long the next one waits. */
const runRetry = async (first: RedeliveryMessage) => {
  const steps: { sent: DeliveryMessage[]; delaySeconds?: number }[] = [];
  const waiting = [first];
  for (let message = waiting.shift(); message; message = waiting.shift()) {
    const step: (typeof steps)[number] = { sent: [] };
    steps.push(step);
    await retryDeliveries(message, {
      sendAttempts: async (outgoing: readonly Outgoing[]) => {
        for (const { groupId } of outgoing) expect(groupId).toBe(first.webhookId);
        step.sent.push(...outgoing.map(({ message: sent }) => DeliveryMessage.parse(sent)));
      },
      goOn: async (next, delaySeconds) => {
        step.delaySeconds = delaySeconds;
        waiting.push(next);
      },
    });
  }
  return steps;
};

const retryOf = (webhookId: string, since: Date): RedeliveryMessage => ({
  programId,
  webhookId,
  since: since.toISOString(),
  requestedAt: later(1).toISOString(),
  step: 'FAILED',
});

const idsIn = (steps: Awaited<ReturnType<typeof runRetry>>) =>
  steps.flatMap(({ sent }) => sent.map(({ deliveryId }) => deliveryId)).sort();

describe('a retry of everything', () => {
  const put = async (webhookId: string, overrides: Partial<StoredDelivery>) => {
    const id = newRecordId(clock);
    const delivery = makeStoredDelivery({
      id,
      createdAt: clock.toISOString(),
      eventId: randomUUID(),
      webhookId,
      ...overrides,
    });
    await writeTogether(deliveries.createWrites(programId, delivery));
    return id;
  };
  const attempt = {
    attemptedAt: '2026-01-01T00:00:00.000Z',
    durationMilliseconds: 1,
    responseStatus: 500,
    responseBody: 'no',
    error: 'no',
  };

  it('asks for what failed, waits for a retry or was cancelled, at that endpoint and since that moment', async () => {
    const webhook = await made();
    await put(webhook.id, { status: 'FAILED', attempts: [attempt] });
    const since = later(10);
    const wanted = [
      await put(webhook.id, { status: 'FAILED', attempts: [attempt] }),
      await put(webhook.id, { status: 'CANCELLED' }),
      await put(webhook.id, { status: 'PENDING', attempts: [attempt] }),
    ];
    await put(webhook.id, { status: 'PENDING' });
    await put(webhook.id, { status: 'SUCCEEDED', attempts: [attempt, { ...attempt, error: null }] });
    await put(randomUUID(), { status: 'FAILED', attempts: [attempt] });
    const message = retryOf(webhook.id, since);
    const steps = await runRetry(message);
    expect(idsIn(steps)).toEqual(wanted.sort());
    for (const { byHand } of steps[0]?.sent ?? [])
      expect(byHand).toEqual({ requestedAt: message.requestedAt, isForUndeliveredOnly: true });
  });

  it('takes many of them in steps of 100 with a pause between them', async () => {
    const webhook = await made();
    const since = clock;
    later(1);
    const ids = await Promise.all(Array.from({ length: 205 }, () => put(webhook.id, { status: 'FAILED' })));
    const steps = await runRetry(retryOf(webhook.id, since));
    expect(steps.map(({ sent, delaySeconds }) => [sent.length, delaySeconds])).toEqual([
      [100, 2],
      [100, 2],
      [5, 0],
      [0, undefined],
    ]);
    expect(idsIn(steps)).toEqual(ids.sort());
  });

  it('begins deliveries of what happened while the endpoint was deactivated, once each, and of nothing else', async () => {
    const month = 30 * 24 * 3600;
    const start = later(-month / 2);
    const webhook = await made({ eventTypes: ['sale.created'] });
    later(3600);
    const before = await eventAt(clock);
    const off: StoredWebhook = {
      ...webhook,
      active: false,
      deactivationReason: 'Gone',
      deactivatedAt: later(3600).toISOString(),
    };
    const missed = [await eventAt(later(10)), await eventAt(later(3600))];
    await eventAt(later(1), 'webhook.test');
    const begun = newDelivery(await eventAt(later(1)), webhook);
    await writeTogether(deliveries.createWrites(programId, { ...begun, status: 'SUCCEEDED' }));
    const on = changedWebhook(off, { active: true }, later(3600));
    await writeTogether(webhooks.updateWrites(programId, webhook, on));
    const after = await eventAt(later(3600));

    const wanted = missed.map((event) => newDelivery(event, webhook).id).sort();
    expect(idsIn(await runRetry(retryOf(webhook.id, start)))).toEqual(wanted);
    // The messages may have been lost: as long as none has been worked on they are sent again.
    const again = await runRetry(retryOf(webhook.id, start));
    expect(idsIn(again)).toEqual(wanted);
    for (const message of again.flatMap(({ sent }) => sent)) await deliver(message, responding({}));
    expect(idsIn(await runRetry(retryOf(webhook.id, start)))).toEqual([]);
    for (const event of [before, after])
      expect(await deliveries.get(programId, newDelivery(event, webhook).id)).toBeUndefined();
  });

  it('ends where the endpoint is off again or gone', async () => {
    const webhook = await made({ active: false });
    await put(webhook.id, { status: 'FAILED' });
    const steps = await runRetry(retryOf(webhook.id, new Date(0)));
    expect(steps).toEqual([{ sent: [] }]);
    expect(await runRetry(retryOf(randomUUID(), new Date(0)))).toEqual([{ sent: [] }]);
  });
});

describe('after 30 days', () => {
  it('an event and its delivery are not returned any more, though the table still has them', async () => {
    const webhook = await made();
    const [old, recent] = [later(-30 * 24 * 3600 - 60), later(120)];
    const kept: string[] = [];
    for (const at of [old, recent]) {
      const delivery = newDelivery(await eventAt(at), webhook);
      await writeTogether(deliveries.createWrites(programId, delivery));
      const isRecent = at === recent;
      if (isRecent) kept.push(delivery.id, delivery.eventId);
      const paths = [`/events?id=${delivery.eventId}`, `/webhook-deliveries?id=${delivery.id}`];
      for (const path of paths) expect((await api.get(path)).status, path).toBe(isRecent ? 200 : 404);
      const retried = await api.post('/webhook-deliveries/retry', { deliveryId: delivery.id });
      expect(retried.status).toBe(isRecent ? 200 : 404);
    }
    const lists = await Promise.all(
      ['/webhook-deliveries', '/events', '/events?createdAfter=2020-01-01T00:00:00Z'].map((path) => api.get(path)),
    );
    expect(lists.map(({ body }) => body.map(({ id }: { id: string }) => id))).toEqual([
      [kept[0]],
      [kept[1]],
      [kept[1]],
    ]);
  });
});
