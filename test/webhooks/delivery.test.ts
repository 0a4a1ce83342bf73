import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { deliver, type Outside } from '../../shared/webhooks/delivery/deliver.ts';
import { DeliveryMessage } from '../../shared/webhooks/delivery/delivery-message.ts';
import { deliveries, events } from '../../shared/webhooks/delivery/repository.ts';
import type { Posted, Posting } from '../../shared/webhooks/delivery/send.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { webhookResponse } from '../../shared/webhooks/endpoints/secrets.ts';
import { fanOut as fanOutAt } from '../../shared/webhooks/fan-out/fan-out.ts';
import { makeProgram } from '../support/program.ts';
import { makeStoredCoupon } from '../support/stored-records.ts';

// The table and the queue are real. The queues are this file's own, so that the stack's workers leave them alone, and
// the changes are made up, so that the stack's own stream does not see them.

beforeAll(async () => {
  for (const variable of ['DELIVERIES_QUEUE_URL', 'CODE_CONNECTIONS_QUEUE_URL']) {
    // What a test has received does not come again, however long the tests take.
    const Attributes = { VisibilityTimeout: '3600' };
    const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: `test-${randomUUID()}`, Attributes }));
    vi.stubEnv(variable, QueueUrl);
  }
  vi.stubEnv('WEBHOOK_RETRY_SECONDS', '1,1000');
});
afterAll(() => vi.unstubAllEnvs());

let programId: string;
let clock: Date;
let logged: string[];
beforeEach(async () => {
  ({ programId } = await makeProgram());
  clock = new Date();
  logged = [];
  const keep = (line: unknown) => void logged.push(String(line));
  vi.spyOn(console, 'log').mockImplementation(keep);
  vi.spyOn(console, 'error').mockImplementation(keep);
});

/** The messages of this test that may be received now; those of an earlier one may still come in between. */
const receive = async (): Promise<DeliveryMessage[]> => {
  const response = await queues.send(
    new ReceiveMessageCommand({ QueueUrl: process.env.DELIVERIES_QUEUE_URL, MaxNumberOfMessages: 10 }),
  );
  const messages = (response.Messages ?? []).map(({ Body }) => DeliveryMessage.parse(JSON.parse(Body ?? '')));
  return messages.filter((message) => message.programId === programId);
};

/** The same as soon as there are any. */
const receiveNext = async (): Promise<DeliveryMessage[]> => {
  let messages: DeliveryMessage[] = [];
  await expect.poll(async () => (messages = await receive()), { timeout: 30_000 }).not.toEqual([]);
  return messages;
};

/** In which of these calls a message was sent. */
const placeOf = (calls: readonly string[], { eventId }: DeliveryMessage): number =>
  calls.findIndex((call) => call.includes(eventId));

const makeWebhook = (overrides: { url?: string; eventTypes?: '*'[]; active?: boolean } = {}) =>
  createWebhook(
    programId,
    { url: 'https://example.com/hooks', eventTypes: ['*'], active: true, ...overrides },
    new Date(clock.getTime() - 1000),
  );

const couponChange = (overrides: Partial<StoredCoupon> = {}): DynamoDBRecord => {
  const at = clock.toISOString();
  const coupon = makeStoredCoupon({
    id: newRecordId(clock),
    createdAt: at,
    updatedAt: at,
    duration: 'once',
    ...overrides,
  });
  const keys = { pk: `PROGRAM#${programId}#COUPON`, sk: coupon.id };
  // Lambda's types and the SDK's name the same attribute values differently.
  const imageOf = (item: object) => marshall(item) as NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
  return {
    dynamodb: {
      SequenceNumber: randomUUID(),
      ApproximateCreationDateTime: Math.floor(clock.getTime() / 1000),
      Keys: imageOf(keys),
      NewImage: imageOf({ ...keys, kind: 'COUPON', ...coupon }),
    },
  };
};

const fanOut = (records: readonly DynamoDBRecord[]) => fanOutAt(records, () => clock);

/** One delivery that waits for its first attempt, with the message that asks for it. */
const makeDelivery = async (): Promise<{ webhook: StoredWebhook; message: DeliveryMessage }> => {
  const webhook = await makeWebhook();
  expect(await fanOut([couponChange()])).toBeUndefined();
  const [message] = await receive();
  if (!message) throw new Error('No message was sent');
  return { webhook, message };
};

const stored = (message: DeliveryMessage) => deliveries.get(programId, message.deliveryId);

const responding = (response: Partial<Posted>): Outside & { posted: Posting[] } => {
  const posted: Posting[] = [];
  return {
    posted,
    now: () => clock,
    random: () => 0.5,
    post: async (posting) => {
      posted.push(posting);
      return { status: 200, body: 'ok', retryAfter: undefined, error: null, ...response };
    },
  };
};

describe('fan-out', () => {
  it('starts one delivery for each active endpoint, and the same ones when the change comes again', async () => {
    await Promise.all([makeWebhook(), makeWebhook(), makeWebhook({ active: false })]);
    const change = couponChange();
    await fanOut([change]);
    const first = await receive();
    await fanOut([change, change]);
    const again = await receive();
    expect(first).toHaveLength(2);
    expect(new Set(again.map(({ deliveryId }) => deliveryId))).toEqual(
      new Set(first.map(({ deliveryId }) => deliveryId)),
    );
    expect((await events.page(programId, { limit: 10 })).items).toHaveLength(1);
    expect((await deliveries.page(programId, { limit: 10 })).items).toHaveLength(2);
  });

  it('keeps an event that nobody asked for', async () => {
    await fanOut([couponChange()]);
    expect(await receive()).toEqual([]);
    expect((await events.page(programId, { limit: 10 })).items).toMatchObject([{ type: 'coupon.created' }]);
  });

  it('does not send an endpoint what happened before it was made', async () => {
    await makeWebhook();
    clock = new Date(clock.getTime() - 60_000);
    await fanOut([couponChange()]);
    expect(await receive()).toEqual([]);
  });

  it('sends the deliveries of small changes before it works on large ones', async () => {
    await makeWebhook();
    const sending = vi.spyOn(queues, 'send');
    const small = couponChange({ name: 'Small' });
    const large = couponChange({ name: 'Large' });
    await fanOut([{ ...large, dynamodb: { ...large.dynamodb, SizeBytes: 200_000 } }, small]);
    const sent = sending.mock.calls.map(([{ input }]) => JSON.stringify(input));
    sending.mockRestore();
    const messages = await receive();
    expect(messages).toHaveLength(2);
    const names: string[] = [];
    for (const { eventId } of messages.toSorted((one, other) => placeOf(sent, one) - placeOf(sent, other)))
      names.push(JSON.parse((await events.get(programId, eventId))?.body ?? '{}').data.name);
    expect(names).toEqual(['Small', 'Large']);
    expect(sent).toHaveLength(2);
  });

  it('names the first change that failed, and works on the others all the same', async () => {
    await makeWebhook();
    const damaged = couponChange();
    delete damaged.dynamodb?.NewImage?.couponType;
    expect(await fanOut([couponChange(), damaged, couponChange()])).toBe(damaged);
    expect(await receive()).toHaveLength(2);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ message: 'change not fanned out' }]);
  });
});

describe('a delivery', () => {
  it('sends the event with its id and records the success', async () => {
    const { webhook, message } = await makeDelivery();
    const outside = responding({});
    await deliver(message, outside);
    const event = await events.get(programId, message.eventId);
    expect(outside.posted).toHaveLength(1);
    expect(outside.posted[0]).toMatchObject({
      url: webhook.url,
      body: event?.body,
      headers: { 'content-type': 'application/json', 'webhook-id': message.eventId },
    });
    expect(await stored(message)).toMatchObject({
      status: 'SUCCEEDED',
      nextAttemptAt: null,
      attempts: [{ responseStatus: 200, responseBody: 'ok', error: null }],
    });
  });

  it('returns what each attempt came to: how late the first began, and that one switched the endpoint off', async () => {
    const { message } = await makeDelivery();
    clock = new Date(clock.getTime() + 700);
    const failed = { delivered: false, lagMilliseconds: 700, deactivated: false };
    expect(await deliver(message, responding({ status: 500 }))).toEqual(failed);
    // The same message again makes none.
    expect(await deliver(message, responding({}))).toBeUndefined();
    const retry = { ...message, attempt: 2 };
    clock = new Date(clock.getTime() + 1000);
    const gone = { delivered: false, lagMilliseconds: undefined, deactivated: true };
    expect(await deliver(retry, responding({ status: 410 }))).toEqual(gone);
    expect(await deliver(retry, responding({}))).toBeUndefined();
  });

  it('that succeeded is not made again', async () => {
    const { message } = await makeDelivery();
    const outside = responding({});
    await deliver(message, outside);
    await deliver(message, outside);
    expect(outside.posted).toHaveLength(1);
  });

  it('that failed is made again with the same bytes, until its attempts are used up', async () => {
    const { webhook, message } = await makeDelivery();
    const outside = responding({ status: 302, body: '' });
    const startedAt = performance.now();
    await deliver(message, outside);
    expect(await stored(message)).toMatchObject({
      status: 'PENDING',
      nextAttemptAt: new Date(clock.getTime() + 1000).toISOString(),
      attempts: [{ responseStatus: 302, error: 'returned 302: redirects are not followed' }],
    });
    expect((await webhooks.get(programId, webhook.id))?.failingSince).toBe(clock.toISOString());
    expect(await receiveNext()).toEqual([{ ...message, attempt: 2 }]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);

    clock = new Date(clock.getTime() + 1000);
    await deliver({ ...message, attempt: 2 }, outside);
    clock = new Date(clock.getTime() + 1_000_000);
    await deliver({ ...message, attempt: 3 }, outside);
    expect(await stored(message)).toMatchObject({ status: 'FAILED', nextAttemptAt: null });
    expect(new Set(outside.posted.map(({ body }) => body)).size).toBe(1);
    expect(outside.posted).toHaveLength(3);
  });

  it('that is due later goes back to the queue', async () => {
    const { message } = await makeDelivery();
    const outside = responding({ status: 500 });
    await deliver(message, outside);
    await deliver({ ...message, attempt: 2 }, outside);
    expect(outside.posted).toHaveLength(1);
  });

  it('goes on when the message of the next attempt was lost in a crash', async () => {
    const { message } = await makeDelivery();
    const outside = responding({ status: 500 });
    await deliver(message, outside);
    expect(await receiveNext()).toHaveLength(1);
    clock = new Date(clock.getTime() + 1100);
    await deliver(message, outside);
    expect(outside.posted).toHaveLength(1);
    expect(await receiveNext()).toEqual([{ ...message, attempt: 2 }]);
  });

  it('that two workers make at once is recorded once', async () => {
    const { message } = await makeDelivery();
    await Promise.all([1, 2, 3].map(() => deliver(message, responding({ status: 500 }))));
    expect((await stored(message))?.attempts).toHaveLength(1);
  });

  it('waits as long as `Retry-After` asks for, in seconds or by a date, up to twice the schedule', async () => {
    const { message } = await makeDelivery();
    await deliver(message, responding({ status: 503, retryAfter: '60' }));
    expect((await stored(message))?.nextAttemptAt).toBe(new Date(clock.getTime() + 2000).toISOString());
    // The next wait of the schedule is 1,000 seconds.
    clock = new Date(Math.ceil(clock.getTime() / 1000 + 2) * 1000);
    const asked = new Date(clock.getTime() + 1_500_000);
    await deliver({ ...message, attempt: 2 }, responding({ status: 503, retryAfter: asked.toUTCString() }));
    expect((await stored(message))?.nextAttemptAt).toBe(asked.toISOString());
  });

  it('returned 404 is tried again, and its endpoint stays on', async () => {
    const { webhook, message } = await makeDelivery();
    await deliver(message, responding({ status: 404 }));
    expect(await stored(message)).toMatchObject({ status: 'PENDING', attempts: [{ responseStatus: 404 }] });
    expect(await webhooks.get(programId, webhook.id)).toMatchObject({ active: true });
  });

  it('that uses up its attempts after five days of nothing but failure switches the endpoint off', async () => {
    const { webhook, message } = await makeDelivery();
    const days = (count: number) => new Date(clock.getTime() - count * 24 * 60 * 60 * 1000).toISOString();
    await writeTogether(webhooks.updateWrites(programId, webhook, { ...webhook, failingSince: days(5) }));
    const isActive = async () => (await webhooks.get(programId, webhook.id))?.active;
    const outside = responding({ status: 500 });
    for (const attempt of [1, 2, 3]) {
      expect(await isActive()).toBe(true);
      await deliver({ ...message, attempt }, outside);
      clock = new Date(clock.getTime() + 2_000_000);
    }
    expect(await isActive()).toBe(false);
  });

  it('returned 410 switches the endpoint off, and what waits for it is cancelled', async () => {
    const { webhook, message } = await makeDelivery();
    await fanOut([couponChange()]);
    const [waiting] = await receive();
    const outside = responding({ status: 410 });
    await deliver(message, outside);
    expect(await stored(message)).toMatchObject({ status: 'FAILED' });
    expect(await webhooks.get(programId, webhook.id)).toMatchObject({ active: false });
    if (waiting) await deliver(waiting, outside);
    expect(outside.posted).toHaveLength(1);
    expect(waiting && (await stored(waiting))).toMatchObject({
      status: 'CANCELLED',
      cancellationReason: 'The endpoint is not active',
    });
  });

  it('that failed is one line in the log, with ids and without body, response or secret', async () => {
    const { webhook, message } = await makeDelivery();
    await deliver(message, responding({ status: 500, body: 'their words' }));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ ...message, message: 'webhook attempt failed' });
    const { secret } = await webhookResponse(programId, webhook);
    for (const word of [secret, 'their words', 'Spring']) expect(logged[0]).not.toContain(word);
  });

  it('to a deleted endpoint is cancelled', async () => {
    const { webhook, message } = await makeDelivery();
    await deleteWebhook(programId, webhook.id);
    const outside = responding({});
    await deliver(message, outside);
    expect(outside.posted).toEqual([]);
    expect(await stored(message)).toMatchObject({ status: 'CANCELLED' });
  });

  it('ends the endpoint’s time of failure when it succeeds', async () => {
    const { webhook, message } = await makeDelivery();
    const before = await webhooks.get(programId, webhook.id);
    if (!before) throw new Error('The endpoint is gone');
    await writeTogether(webhooks.updateWrites(programId, before, { ...before, failingSince: clock.toISOString() }));
    await deliver(message, responding({}));
    expect((await webhooks.get(programId, webhook.id))?.failingSince).toBeNull();
  });
});

describe('an endpoint that hangs', () => {
  const most = 24;
  // Slots are counted by the minute: a test that sets the clock forward by seconds must not end in the next one.
  beforeEach(() => {
    clock = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  });
  /** Posts that end when the test says so. */
  const hanging = (): Outside & { posted: Posting[]; end: () => void } => {
    const posted: Posting[] = [];
    const { promise, resolve } = Promise.withResolvers<Posted>();
    return {
      posted,
      now: () => clock,
      random: () => 0,
      post: (posting) => {
        posted.push(posting);
        return promise;
      },
      end: () => resolve({ status: null, body: null, retryAfter: undefined, error: 'no complete response' }),
    };
  };
  /** Begins all of them; goes on when so many hang and the others have ended, which found no place. */
  const begin = async (messages: readonly DeliveryMessage[], outside: ReturnType<typeof hanging>, hang: number) => {
    let ended = 0;
    const attempts = messages.map(async (message) => {
      await deliver(message, outside);
      ended += 1;
    });
    await vi.waitUntil(() => ended === messages.length - hang, { timeout: 30_000 });
    expect(outside.posted).toHaveLength(hang);
    return attempts;
  };
  const makeDeliveries = async (count: number): Promise<DeliveryMessage[]> => {
    const webhook = await makeWebhook();
    const responsive = { ...webhook, isResponsive: true };
    await writeTogether(webhooks.updateWrites(programId, webhook, responsive, { isEdit: false }));
    expect(await fanOut(Array.from({ length: count }, () => couponChange()))).toBeUndefined();
    const messages: DeliveryMessage[] = [];
    while (messages.length < count) messages.push(...(await receive()));
    return messages;
  };

  it('has so many attempts under way and no more; the others go back to the queue and keep their turn', async () => {
    const messages = await makeDeliveries(most + 4);
    const outside = hanging();
    const attempts = await begin(messages, outside, most);
    const back = await receive();
    expect(back).toHaveLength(4);
    for (const message of back) expect(await stored(message)).toMatchObject({ status: 'PENDING', attempts: [] });

    // It has neither begun nor ended one for seconds: what comes now stays away for long.
    clock = new Date(clock.getTime() + 3000);
    for (const message of back) await deliver(message, outside);
    expect(outside.posted).toHaveLength(most);
    await sleep(1100);
    expect(await receive()).toEqual([]);

    outside.end();
    await Promise.all(attempts);
    clock = new Date(clock.getTime() + 30_000);
    const [next] = back;
    if (next) await deliver(next, responding({}));
    expect(next && (await stored(next))).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('takes no place from another endpoint, and as one that fails it has two', async () => {
    const messages = await makeDeliveries(most);
    const outside = hanging();
    const attempts = messages.map((message) => deliver(message, outside));
    await vi.waitUntil(() => outside.posted.length === most, { timeout: 30_000 });
    const other = await makeWebhook();
    await fanOut([couponChange()]);
    const toOther = (await receive()).find(({ webhookId }) => webhookId === other.id);
    if (toOther) await deliver(toOther, responding({}));
    expect(toOther && (await stored(toOther))).toMatchObject({ status: 'SUCCEEDED' });
    outside.end();
    await Promise.all(attempts);

    const failing = hanging();
    clock = new Date(clock.getTime() + 60_000);
    const again = messages.slice(0, 4).map((message) => ({ ...message, attempt: 2 }));
    const others = await begin(again, failing, 2);
    failing.end();
    await Promise.all(others);
    expect(failing.posted).toHaveLength(2);
  });

  it('has its places again in the next minute when the worker that held them died', async () => {
    const messages = await makeDeliveries(most + 1);
    const died = hanging();
    for (const message of messages.slice(0, most)) void deliver(message, died);
    await vi.waitUntil(() => died.posted.length === most, { timeout: 30_000 });
    clock = new Date(clock.getTime() + 60_000);
    const [last] = messages.slice(most);
    if (last) await deliver(last, responding({}));
    expect(last && (await stored(last))).toMatchObject({ status: 'SUCCEEDED' });
  });
});
