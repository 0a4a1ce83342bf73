import { randomUUID } from 'node:crypto';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { queues } from '../../shared/platform/queue/send.ts';
import type { Outgoing } from '../../shared/platform/queue/send-batch.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { deliver, type Outside } from '../../shared/webhooks/delivery/deliver.ts';
import { DeliveryMessage } from '../../shared/webhooks/delivery/delivery-message.ts';
import { newDelivery, type StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import type { RedeliveryMessage } from '../../shared/webhooks/delivery/redelivery-message.ts';
import { deliveries, events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import { retryDeliveries } from '../../shared/webhooks/delivery/retry-deliveries.ts';
import type { Posted } from '../../shared/webhooks/delivery/send.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { changedWebhook, type StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { newEncryptedSecret } from '../../shared/webhooks/endpoints/secrets.ts';
import { type Api, makeProgram } from '../support/program.ts';
import { makeStoredDelivery, makeStoredWebhook } from './fixtures.ts';

// The table is real; time and receivers are made up, and the queue is this file's own.

let api: Api;
let programId: string;
let clock: Date;

beforeAll(async () => {
  const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: `test-${randomUUID()}` }));
  vi.stubEnv('DELIVERIES_QUEUE_URL', QueueUrl);
  vi.stubEnv('WEBHOOK_RETRY_SECONDS', '1000,1000');
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(async () => {
  api = await makeProgram();
  ({ programId } = api);
  clock = new Date();
  vi.spyOn(console, 'log').mockImplementation(() => {});
});

const later = (seconds: number): Date => {
  clock = new Date(clock.getTime() + seconds * 1000);
  return clock;
};

const responding = (
  response: Partial<Posted>,
  before: () => Promise<unknown> = async () => {},
): Outside & { posts: number } => {
  const outside = {
    posts: 0,
    now: () => clock,
    random: () => 0.5,
    post: async () => {
      outside.posts += 1;
      await before();
      return { status: 200, body: 'ok', retryAfter: undefined, error: null, ...response };
    },
  };
  return outside;
};

const made = async (overrides: Partial<StoredWebhook> = {}): Promise<StoredWebhook> => {
  const id = newRecordId(clock);
  const sealedSecret = await newEncryptedSecret(programId, id);
  const webhook = makeStoredWebhook({ id, createdAt: clock.toISOString(), sealedSecret, ...overrides });
  await writeTogether(webhooks.createWrites(programId, webhook));
  return webhook;
};

const eventAt = async (at: Date, type: 'sale.created' | 'webhook.test' = 'sale.created') => {
  const id = newRecordId(at);
  const event = {
    id,
    type,
    timestamp: at.toISOString(),
    body: JSON.stringify({ id, type, timestamp: at.toISOString(), data: {} }),
  };
  await writeTogether(events.createWrites(programId, storedEvent(event)));
  return event;
};

/** A delivery that waits for its first attempt, with the message that asks for it. */
const makeDelivery = async () => {
  const webhook = await made();
  const delivery = newDelivery(await eventAt(clock), webhook);
  await writeTogether(deliveries.createWrites(programId, delivery));
  const { id: deliveryId, eventId, webhookId } = delivery;
  const scheduled: DeliveryMessage = { programId, deliveryId, eventId, webhookId, attempt: 1 };
  const byHand = (isForUndeliveredOnly = false): DeliveryMessage => ({
    ...scheduled,
    attempt: 0,
    byHand: { requestedAt: clock.toISOString(), isForUndeliveredOnly },
  });
  const stored = async (): Promise<StoredDelivery> => {
    const found = await deliveries.get(programId, deliveryId);
    if (!found) throw new Error('The delivery is gone');
    return found;
  };
  return { webhook, scheduled, byHand, stored };
};

const failing = () => responding({ status: 500, body: 'no' });

describe('an attempt by hand', () => {
  it('that fails leaves number and due time of the schedule’s next attempt as they are', async () => {
    const { scheduled, byHand, stored } = await makeDelivery();
    await deliver(scheduled, failing());
    const before = await stored();
    later(10);
    await deliver(byHand(), failing());
    const after = await stored();
    expect(after).toEqual({
      ...before,
      version: before.version + 1,
      updatedAt: clock.toISOString(),
      manualAttempts: [
        {
          attemptedAt: clock.toISOString(),
          durationMilliseconds: 0,
          responseStatus: 500,
          responseBody: 'no',
          error: 'returned 500',
        },
      ],
    });
    later(2000);
    await deliver({ ...scheduled, attempt: 2 }, failing());
    expect(await stored()).toMatchObject({ status: 'PENDING', attempts: [{}, {}] });
    later(2000);
    await deliver({ ...scheduled, attempt: 3 }, failing());
    expect(await stored()).toMatchObject({ status: 'FAILED', attempts: [{}, {}, {}], manualAttempts: [{}] });
  });

  it('is made once, though its message comes twice', async () => {
    const { byHand, stored } = await makeDelivery();
    const message = byHand();
    later(1);
    const outside = failing();
    await deliver(message, outside);
    await deliver(message, outside);
    expect(outside.posts).toBe(1);
    later(1);
    await deliver(byHand(), outside);
    expect((await stored()).manualAttempts).toHaveLength(2);
  });

  it('and one of the schedule at the same time are both in the log, and the schedule goes on', async () => {
    const { scheduled, byHand, stored } = await makeDelivery();
    // Each is recorded while the other is under way.
    await deliver(
      scheduled,
      responding({ status: 500 }, () => deliver(byHand(), failing())),
    );
    expect(await stored()).toMatchObject({ status: 'PENDING', attempts: [{}], manualAttempts: [{}] });
    expect((await stored()).nextAttemptAt).not.toBeNull();
    later(2000);
    const second = { ...scheduled, attempt: 2 };
    await deliver(
      byHand(),
      responding({ status: 500 }, () => deliver(second, failing())),
    );
    expect(await stored()).toMatchObject({ status: 'PENDING', attempts: [{}, {}], manualAttempts: [{}, {}] });
  });

  it('that succeeds while one of the schedule fails settles the delivery, and both are in the log', async () => {
    const { scheduled, byHand, stored } = await makeDelivery();
    await deliver(
      scheduled,
      responding({ status: 500 }, () => deliver(byHand(), responding({}))),
    );
    expect(await stored()).toMatchObject({
      status: 'SUCCEEDED',
      nextAttemptAt: null,
      attempts: [{ responseStatus: 500 }],
      manualAttempts: [{ responseStatus: 200 }],
    });
    const outside = responding({});
    await deliver({ ...scheduled, attempt: 2 }, outside);
    expect(outside.posts).toBe(0);
  });

  it('of many is not made where the delivery has succeeded in the meantime', async () => {
    const { scheduled, byHand } = await makeDelivery();
    await deliver(scheduled, responding({}));
    const outside = responding({});
    await deliver(byHand(true), outside);
    expect(outside.posts).toBe(0);
    await deliver(byHand(false), outside);
    expect(outside.posts).toBe(1);
  });

  it.each(['is off', 'was deleted'])('is not made to an endpoint that %s by then', async (end) => {
    const { webhook, scheduled, byHand, stored } = await makeDelivery();
    await deliver(scheduled, failing());
    // The failed attempt has changed the endpoint.
    const present = await webhooks.get(programId, webhook.id);
    if (!present) throw new Error('The endpoint is gone');
    const off = webhooks.updateWrites(programId, present, { ...present, active: false });
    await writeTogether(end === 'is off' ? off : webhooks.deleteWrites(programId, present));
    const outside = responding({});
    later(1);
    await deliver(byHand(), outside);
    expect(outside.posts).toBe(0);
    expect((await stored()).manualAttempts).toEqual([]);
  });

  it('fits into the table however often it is asked for: the newest 8 are kept', async () => {
    const { scheduled, byHand, stored } = await makeDelivery();
    const large = responding({ status: 500, body: '€'.repeat(6826) });
    vi.stubEnv('WEBHOOK_RETRY_SECONDS', Array(12).fill('1').join());
    for (let attempt = 1; attempt <= 12; attempt++) {
      await deliver({ ...scheduled, attempt }, large);
      await deliver(byHand(), large);
      later(5);
    }
    vi.stubEnv('WEBHOOK_RETRY_SECONDS', '1000,1000');
    const { attempts, manualAttempts } = await stored();
    expect(manualAttempts).toHaveLength(8);
    expect(attempts.map(({ responseBody }) => responseBody !== null)).toEqual([
      ...Array(4).fill(false),
      ...Array(8).fill(true),
    ]);
  });

  it('that fails is no edit of its endpoint, whose ETag still holds; one that switches it off is', async () => {
    const { webhook, byHand } = await makeDelivery();
    const etag = async () => (await api.get(`/webhooks?id=${webhook.id}`)).headers.get('etag');
    const before = await etag();
    await deliver(byHand(), failing());
    expect(await webhooks.get(programId, webhook.id)).toMatchObject({ failingSince: clock.toISOString() });
    expect(await etag()).toBe(before);
    later(1);
    await deliver(byHand(), responding({ status: 410 }));
    expect(await etag()).not.toBe(before);
  });

  it('that succeeds at the moment at which another one would switch the endpoint off keeps it on', async () => {
    const { webhook, scheduled, byHand } = await makeDelivery();
    const failingSince = new Date(clock.getTime() - 6 * 24 * 3_600_000).toISOString();
    await writeTogether(webhooks.updateWrites(programId, webhook, { ...webhook, failingSince }));
    vi.stubEnv('WEBHOOK_RETRY_SECONDS', '1');
    await deliver(scheduled, failing());
    later(10);
    const realGet = webhooks.get;
    const get = vi
      .spyOn(webhooks, 'get')
      .mockImplementationOnce(realGet)
      .mockImplementationOnce(async (...about) => {
        const read = await realGet(...about);
        get.mockRestore();
        await deliver(byHand(), responding({}));
        return read;
      });
    await deliver({ ...scheduled, attempt: 2 }, failing());
    vi.stubEnv('WEBHOOK_RETRY_SECONDS', '1000,1000');
    expect(await webhooks.get(programId, webhook.id)).toMatchObject({ active: true, deactivationReason: null });
  });

  it('that a former address gets says nothing about the present one', async () => {
    const { webhook, byHand } = await makeDelivery();
    const moved = changedWebhook(webhook, { url: 'https://example.com/other' }, clock);
    const gone = responding({ status: 410 }, () => writeTogether(webhooks.updateWrites(programId, webhook, moved)));
    await deliver(byHand(), gone);
    expect(await webhooks.get(programId, webhook.id)).toMatchObject({ active: true, failingSince: null });
  });
});

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

  it('begins deliveries of what happened while the endpoint was switched off, once each, and of nothing else', async () => {
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
