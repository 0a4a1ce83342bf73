import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import type { DeliveryMessage } from '../../shared/webhooks/delivery/delivery-message.ts';
import { outgoingDelivery } from '../../shared/webhooks/delivery/delivery-message.ts';
import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { at, now } from '../support/domain.ts';
import { testQueues } from '../support/queues.ts';
import { failedAttempt, responding, storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';

const { sentTo } = testQueues();

let logged: Record<string, unknown>[];
beforeEach(() => {
  vi.stubEnv('WEBHOOK_RETRY_SECONDS', '10,1000');
  logged = [];
  for (const output of ['log', 'error', 'warn'] as const)
    vi.spyOn(console, output).mockImplementation((line) => void logged.push(JSON.parse(String(line))));
});

const setUp = async (overrides: Partial<StoredDelivery> = {}) => {
  const program = await storeProgram();
  const webhook = await storeWebhook(program.id);
  return { program, webhook, ...(await storeDelivery(program.id, webhook, overrides)) };
};
const byHand = { requestedAt: at(0), isForUndeliveredOnly: false };
const manually = (message: DeliveryMessage): DeliveryMessage => ({ ...message, attempt: 0, byHand });

/** A world in which an attempt takes so many milliseconds. */
const taking = (milliseconds: number, response: Parameters<typeof responding>[0] = {}) => {
  let clock = now.getTime();
  const world = responding(response, async () => {
    clock += milliseconds;
  });
  return { ...world, now: () => new Date(clock) };
};

describe('an attempt', () => {
  it('posts the body of its event to the address of its endpoint, signed', async () => {
    const { message, webhook } = await setUp();
    const world = responding();
    expect(await deliver(message, world)).toEqual({ delivered: true, lagMilliseconds: 1000, deactivated: false });
    expect(world.posted).toEqual([
      {
        url: webhook.url,
        body: '{}',
        headers: {
          'content-type': 'application/json',
          'user-agent': expect.stringMatching(/^affiliate-program-webhooks/),
          'webhook-id': message.eventId,
          'webhook-timestamp': String(now.getTime() / 1000),
          'webhook-signature': expect.stringMatching(/^v1,/),
        },
      },
    ]);
  });

  it('that fails is logged with its ids, and without what was sent', async () => {
    const { message } = await setUp();
    const failing = taking(70, { status: 500, body: 'secret' });
    expect(await deliver(message, failing)).toMatchObject({ delivered: false });
    const { programId, deliveryId, eventId, webhookId } = message;
    expect(logged).toMatchObject([
      {
        message: 'webhook attempt failed',
        programId,
        deliveryId,
        eventId,
        webhookId,
        attempt: 1,
        responseStatus: 500,
        error: 'returned 500',
        durationMilliseconds: 70,
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('by hand is logged where it fails, with when it was asked for, and has no lag', async () => {
    const { message, program } = await setUp();
    const outcome = await deliver(manually(message), responding({ status: 500 }));
    expect(outcome).toEqual({ delivered: false, lagMilliseconds: undefined, deactivated: false });
    expect(logged).toMatchObject([{ message: 'webhook attempt failed', attempt: 0, requestedAt: at(0) }]);
    logged.length = 0;
    const { message: other } = await storeDelivery(program.id, await storeWebhook(program.id));
    const succeeded = await deliver(manually(other), taking(1));
    expect(succeeded).toEqual({ delivered: true, lagMilliseconds: undefined, deactivated: false });
    expect(logged).toEqual([]);
  });

  it.each([
    { milliseconds: 3000, isResponsive: true },
    { milliseconds: 3001, isResponsive: false },
  ])(
    'of $milliseconds ms says whether its endpoint is responsive: $isResponsive',
    async ({ milliseconds, isResponsive }) => {
      for (const how of [(one: DeliveryMessage) => one, manually]) {
        const { message, program, webhook } = await setUp();
        await deliver(how(message), taking(milliseconds));
        expect(await webhooks.get(program.id, webhook.id)).toMatchObject({ isResponsive });
      }
    },
  );

  it('by hand switches no endpoint off that has failed for long, as the last of a schedule does', async () => {
    const failing = { failingSince: at(-5 * 24 * 60 * 60 * 1000) };
    const attempts = [failedAttempt, failedAttempt];
    for (const isByHand of [true, false]) {
      const program = await storeProgram();
      const webhook = await storeWebhook(program.id, failing);
      const { message } = await storeDelivery(program.id, webhook, { attempts });
      const outcome = await deliver(isByHand ? manually(message) : message, responding({ status: 500 }));
      expect(outcome).toMatchObject({ deactivated: !isByHand });
      expect(await webhooks.get(program.id, webhook.id)).toMatchObject({ active: isByHand });
    }
  });

  it('is recorded although its endpoint is deleted meanwhile', async () => {
    const { message, program, webhook, delivery } = await setUp();
    const world = responding({ status: 500 }, () => deleteWebhook(program.id, webhook.id, new Date()));
    expect(await deliver(message, world)).toMatchObject({ delivered: false, deactivated: false });
    expect((await deliveries.get(program.id, delivery.id))?.attempts).toHaveLength(1);
  });

  it('that was recorded before its message came again asks for the next one only', async () => {
    const { message } = await setUp({ attempts: [failedAttempt], nextAttemptAt: at(7000) });
    const world = responding();
    expect(await deliver({ ...message, attempt: 1 }, world)).toBeUndefined();
    expect(world.posted).toEqual([]);
    expect(sentTo('deliveries')).toMatchObject([{ body: { attempt: 2 }, delaySeconds: 7 }]);
  });

  it('that is not due waits for its time', async () => {
    const { message } = await setUp({ attempts: [failedAttempt], nextAttemptAt: at(7001) });
    const world = responding();
    expect(await deliver(message, world)).toBeUndefined();
    expect(world.posted).toEqual([]);
    expect(sentTo('deliveries')).toMatchObject([{ body: { attempt: 2 }, delaySeconds: 8 }]);
  });
});

it.each([
  { due: undefined, delaySeconds: 0 },
  { due: -5000, delaySeconds: 0 },
  { due: 1, delaySeconds: 1 },
  { due: 7000, delaySeconds: 7 },
  { due: 7001, delaySeconds: 8 },
  { due: 900_000, delaySeconds: 900 },
  { due: 900_001, delaySeconds: 900 },
])('a message that is due in $due ms waits $delaySeconds s in the queue', ({ due, delaySeconds }) => {
  const message = { programId: 'p', deliveryId: 'd', eventId: 'e', webhookId: 'w', attempt: 1 };
  expect(outgoingDelivery(message, due)).toEqual({ message, groupId: 'w', delaySeconds });
});
