import { describe, expect, it } from 'vitest';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { deleteItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import type { Posted } from '../../shared/webhooks/delivery/send.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { updateWebhook } from '../../shared/webhooks/endpoints/update-webhook.ts';
import { at, now } from '../support/domain.ts';
import { testQueues } from '../support/queues.ts';
import { failedAttempt, responding, storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';
import { five, logged, setUp, useLog } from './delivery-attempts.ts';

const { refuse, sentTo } = testQueues();
useLog();

describe('an attempt', () => {
  it.each<{ response: Partial<Posted>; error: string | null }>([
    { response: { status: 200 }, error: null },
    { response: { status: 299 }, error: null },
    { response: { status: 300 }, error: 'returned 300: redirects are not followed' },
    { response: { status: 399 }, error: 'returned 399: redirects are not followed' },
    { response: { status: 400 }, error: 'returned 400' },
    { response: { status: 199 }, error: 'returned 199' },
    { response: { status: 500 }, error: 'returned 500' },
    { response: { status: null, body: null, error: 'connection refused' }, error: 'connection refused' },
    { response: { status: 200, error: 'no complete response' }, error: 'no complete response' },
  ])('that gets $response', async ({ response, error }) => {
    const { message, stored } = await setUp();
    const outcome = await deliver(message, responding(response));
    expect(outcome).toMatchObject({ delivered: error === null, deactivated: false });
    expect(await stored()).toMatchObject({
      status: error === null ? 'SUCCEEDED' : 'PENDING',
      attempts: [{ error, responseStatus: response.status }],
      version: 2,
    });
    expect(sentTo('deliveries')).toHaveLength(error === null ? 0 : 1);
    expect(logged).toHaveLength(error === null ? 0 : 1);
  });

  it.each([
    { failures: 0, status: 'PENDING', seconds: 10 },
    { failures: 1, status: 'PENDING', seconds: 1000 },
    { failures: 2, status: 'FAILED', seconds: null },
  ])('that fails after $failures failures', async ({ failures, status, seconds }) => {
    const { message, stored } = await setUp({}, { attempts: Array.from({ length: failures }, () => failedAttempt) });
    await deliver(message, responding({ status: 500 }));
    expect(await stored()).toMatchObject({
      status,
      nextAttemptAt: seconds === null ? null : at(seconds * 1000),
    });
    // A message waits in the queue for 15 minutes at most.
    expect(sentTo('deliveries').map(({ body, delaySeconds }) => [body.attempt, delaySeconds])).toEqual(
      seconds === null ? [] : [[failures + 2, Math.min(seconds, 900)]],
    );
  });

  it.each([
    { retryAfter: '5', seconds: 10 },
    { retryAfter: '15', seconds: 15 },
    { retryAfter: '20', seconds: 20 },
    { retryAfter: '21', seconds: 20 },
    { retryAfter: 'soon', seconds: 10 },
  ])('waits as long as Retry-After asks, twice the schedule at most: $retryAfter', async ({ retryAfter, seconds }) => {
    const { message, stored } = await setUp();
    await deliver(message, responding({ status: 503, retryAfter }));
    expect((await stored())?.nextAttemptAt).toBe(at(seconds * 1000));
  });

  it.each([
    { failingSince: null, lagMilliseconds: 1000 },
    { failingSince: at(-1), lagMilliseconds: undefined },
  ])(
    'counts its lag where the endpoint has not failed: since $failingSince',
    async ({ failingSince, lagMilliseconds }) => {
      const { message } = await setUp({ failingSince });
      expect((await deliver(message, responding()))?.lagMilliseconds).toBe(lagMilliseconds);
    },
  );

  it('is sent once, however often its message comes', async () => {
    const { message, stored } = await setUp();
    const world = responding();
    await deliver(message, world);
    expect(await deliver(message, world)).toBeUndefined();
    expect(world.posted).toHaveLength(1);
    expect((await stored())?.attempts).toHaveLength(1);
  });

  it('that was recorded without its next message sends that message, and no second attempt', async () => {
    const { message, stored } = await setUp();
    const world = responding({ status: 500 });
    refuse(() => true);
    await expect(deliver(message, world)).rejects.toThrow('was not sent');
    refuse(() => false);
    await deliver(message, world);
    expect(world.posted).toHaveLength(1);
    expect((await stored())?.attempts).toHaveLength(1);
    expect(sentTo('deliveries')).toMatchObject([{ body: { attempt: 2 }, delaySeconds: 10 }]);
  });

  it.each([
    { dueIn: 1, posted: 0 },
    { dueIn: 0, posted: 1 },
    { dueIn: -1, posted: 1 },
  ])('that is due in $dueIn ms is made: $posted', async ({ dueIn, posted }) => {
    const { message } = await setUp({}, { attempts: [failedAttempt], nextAttemptAt: at(dueIn) });
    const world = responding();
    await deliver(message, world);
    expect(world.posted).toHaveLength(posted);
    expect(sentTo('deliveries')).toHaveLength(1 - posted);
  });

  it('of a delivery that is unknown, or of an older message, is none', async () => {
    const { message } = await setUp({}, { attempts: [failedAttempt, failedAttempt], nextAttemptAt: at(0) });
    const world = responding();
    expect(await deliver({ ...message, attempt: 1 }, world)).toBeUndefined();
    expect(await deliver({ ...message, deliveryId: 'none' }, world)).toBeUndefined();
    expect(world.posted).toEqual([]);
    expect(sentTo('deliveries')).toEqual([]);
  });
});

describe('a delivery that nobody wants any more', () => {
  type Made = Awaited<ReturnType<typeof setUp>>;
  const reasons: { reason: string; act: (made: Made) => Promise<unknown> }[] = [
    { reason: 'The program was deleted', act: ({ program }) => deleteProgram(program.id) },
    { reason: 'The FREE plan does not include webhooks', act: ({ program }) => setPlan(program.ownerEmail, 'FREE') },
    {
      reason: 'The endpoint was deleted',
      act: ({ program, endpoint }) => deleteWebhook(program.id, endpoint.id, new Date()),
    },
    {
      reason: 'The endpoint is not active',
      act: ({ program, endpoint }) =>
        updateWebhook(program.id, { webhookId: endpoint.id, active: false }, undefined, now),
    },
    {
      reason: 'The event has expired',
      act: ({ program, message }) => deleteItem('traffic', { pk: partition(program.id, 'EVENT'), sk: message.eventId }),
    },
  ];

  it.each(reasons)('is cancelled: $reason', async ({ reason, act }) => {
    const made = await setUp();
    await act(made);
    const world = responding();
    expect(await deliver(made.message, world)).toBeUndefined();
    expect(world.posted).toEqual([]);
    expect(await made.stored()).toMatchObject({ status: 'CANCELLED', cancellationReason: reason, nextAttemptAt: null });
  });

  it.each(reasons)('is not sent by hand either, and stays as it is: $reason', async ({ act }) => {
    const made = await setUp();
    await act(made);
    const world = responding();
    const byHand = { requestedAt: at(0), isForUndeliveredOnly: false };
    await deliver({ ...made.message, attempt: 0, byHand }, world);
    expect(world.posted).toEqual([]);
    expect((await made.stored())?.status).toBe('PENDING');
  });
});

describe('an attempt by hand', () => {
  it.each<{ is: Partial<StoredDelivery>; undeliveredOnly: boolean; posted: number }>([
    { is: { status: 'SUCCEEDED' }, undeliveredOnly: false, posted: 1 },
    { is: { status: 'SUCCEEDED' }, undeliveredOnly: true, posted: 0 },
    { is: { status: 'FAILED' }, undeliveredOnly: true, posted: 1 },
    { is: { status: 'CANCELLED' }, undeliveredOnly: true, posted: 1 },
    { is: { status: 'PENDING' }, undeliveredOnly: true, posted: 0 },
    { is: { status: 'PENDING', attempts: [failedAttempt] }, undeliveredOnly: true, posted: 1 },
    { is: { status: 'PENDING' }, undeliveredOnly: false, posted: 1 },
  ])(
    'of a delivery that is $is, for undelivered ones alone $undeliveredOnly',
    async ({ is, undeliveredOnly, posted }) => {
      const { message, stored } = await setUp({}, is);
      const world = responding();
      await deliver(
        { ...message, attempt: 0, byHand: { requestedAt: at(-5000), isForUndeliveredOnly: undeliveredOnly } },
        world,
      );
      expect(world.posted).toHaveLength(posted);
      expect((await stored())?.manualAttempts).toHaveLength(posted);
      if (posted) expect((await stored())?.status).toBe('SUCCEEDED');
    },
  );

  it.each([
    { requestedAt: at(0), attempts: 1 },
    { requestedAt: at(1), attempts: 2 },
  ])('requested at $requestedAt after one at now', async ({ requestedAt, attempts }) => {
    const { message, stored } = await setUp();
    const byHand = (moment: string) => ({ requestedAt: moment, isForUndeliveredOnly: false });
    await deliver({ ...message, attempt: 0, byHand: byHand(at(0)) }, responding({ status: 500 }));
    await deliver({ ...message, attempt: 0, byHand: byHand(requestedAt) }, responding({ status: 500 }));
    // A failure by hand leaves the schedule as it was.
    expect(await stored()).toMatchObject({ status: 'PENDING', nextAttemptAt: at(-1000), attempts: [] });
    expect((await stored())?.manualAttempts).toHaveLength(attempts);
    expect(sentTo('deliveries')).toEqual([]);
  });
});

describe('an endpoint', () => {
  it.each([
    { since: null, failures: 0, response: { status: 500 }, after: { active: true, failingSince: at(0) } },
    { since: at(-five + 1), failures: 2, response: { status: 500 }, after: { active: true } },
    { since: at(-five), failures: 2, response: { status: 500 }, after: { active: false, deactivatedAt: at(0) } },
    { since: at(-five), failures: 1, response: { status: 500 }, after: { active: true } },
    { since: at(-five), failures: 2, response: { status: 200 }, after: { active: true, failingSince: null } },
    { since: null, failures: 0, response: { status: 410 }, after: { active: false, deactivatedAt: at(0) } },
  ])('failing since $since is $after after $failures failures and $response', async (given) => {
    const { message, storedEndpoint } = await setUp(
      { failingSince: given.since },
      { attempts: Array.from({ length: given.failures }, () => failedAttempt) },
    );
    const outcome = await deliver(message, responding(given.response));
    expect(await storedEndpoint()).toMatchObject(given.after);
    expect(outcome?.deactivated).toBe(!given.after.active);
  });

  it('that is gone (410) is a subscription that ends, and its delivery fails at once', async () => {
    const program = await storeProgram();
    const endpoint = await storeWebhook(program.id, {}, 'CONNECTOR');
    const { message, delivery } = await storeDelivery(program.id, endpoint);
    expect(await deliver(message, responding({ status: 410 }))).toMatchObject({ deactivated: true });
    expect(await webhooks.get(program.id, endpoint.id)).toBeUndefined();
    expect((await deliveries.get(program.id, delivery.id))?.status).toBe('FAILED');
    expect(sentTo('deliveries')).toEqual([]);
  });
});
