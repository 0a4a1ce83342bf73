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
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
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
  it('keeps an event that nobody asked for', async () => {
    await fanOut([couponChange()]);
    expect(await receive()).toEqual([]);
    expect((await events.page(programId, { limit: 10 })).items).toMatchObject([{ type: 'coupon.created' }]);
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
});
