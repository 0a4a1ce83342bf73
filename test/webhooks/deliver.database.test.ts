import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { deleteItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import type { Posted } from '../../shared/webhooks/delivery/send.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { updateWebhook } from '../../shared/webhooks/endpoints/update-webhook.ts';
import { at, now, outcomeOf } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { testQueues } from '../support/queues.ts';
import { failedAttempt, responding, storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';

const { sentTo, refuse } = testQueues();

let logged: string[];
beforeEach(() => {
  vi.stubEnv('WEBHOOK_RETRY_SECONDS', '10,1000');
  logged = [];
  const keep = (line: unknown) => void logged.push(String(line));
  vi.spyOn(console, 'log').mockImplementation(keep);
  vi.spyOn(console, 'error').mockImplementation(keep);
});

const setUp = async (webhook: Partial<StoredWebhook> = {}, delivery: Partial<StoredDelivery> = {}) => {
  const program = await storeProgram();
  const endpoint = await storeWebhook(program.id, webhook);
  const made = await storeDelivery(program.id, endpoint, delivery);
  return {
    program,
    endpoint,
    ...made,
    stored: () => deliveries.get(program.id, made.delivery.id),
    storedEndpoint: () => webhooks.get(program.id, endpoint.id),
  };
};

const five = 5 * 24 * 60 * 60 * 1000;

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

describe('an attempt that was the last, recorded by a worker that died before it changed the endpoint', () => {
  const died = async (responseStatus: number, webhook: Partial<StoredWebhook> = {}) => {
    const attempts = [{ ...failedAttempt, responseStatus }];
    const made = await setUp(webhook, { status: 'FAILED', attempts, nextAttemptAt: null, updatedAt: at(0) });
    return { ...made, again: () => deliver({ ...made.message, attempt: 1 }, responding()) };
  };

  it.each([
    { responseStatus: 410, webhook: {} },
    { responseStatus: 500, webhook: { failingSince: at(-five) } },
  ])('deactivates it when the message comes again, and sends nothing: $responseStatus', async (given) => {
    const { again, storedEndpoint } = await died(given.responseStatus, given.webhook);
    expect(await again()).toMatchObject({ delivered: false, deactivated: true });
    expect(await storedEndpoint()).toMatchObject({ active: false });
    expect(await again()).toBeUndefined();
  });

  it('leaves it as it is where its owner has edited it since', async () => {
    const { again, program, endpoint, storedEndpoint } = await died(410);
    await updateWebhook(program.id, { webhookId: endpoint.id, description: 'Shop' }, undefined, new Date(at(1)));
    expect(await again()).toBeUndefined();
    expect(await storedEndpoint()).toMatchObject({ active: true });
  });
});

describe('race: a delivery', () => {
  it('whose message comes twice at the same moment records one attempt', async () => {
    const { message, stored } = await setUp();
    const world = responding({ status: 500 });
    await deliver(
      message,
      responding({ status: 500 }, () => deliver(message, world)),
    );
    expect((await stored())?.attempts).toHaveLength(1);
    expect((await stored())?.version).toBe(2);
    expect(sentTo('deliveries')).toHaveLength(1);
  });

  it('keeps an attempt by hand beside one by its schedule', async () => {
    const { message, stored } = await setUp();
    const byHand = { requestedAt: at(0), isForUndeliveredOnly: false };
    const manual = () => deliver({ ...message, attempt: 0, byHand }, responding({ status: 200 }));
    await deliver(message, responding({ status: 500 }, manual));
    expect(await stored()).toMatchObject({ status: 'SUCCEEDED', version: 3, nextAttemptAt: null });
    expect((await stored())?.attempts).toHaveLength(1);
    expect((await stored())?.manualAttempts).toHaveLength(1);
    expect(sentTo('deliveries')).toEqual([]);
  });

  it('that is cancelled is not, where it succeeds by hand in between', async () => {
    const { program, endpoint, message, stored } = await setUp();
    const byHand = { requestedAt: at(0), isForUndeliveredOnly: false };
    await updateWebhook(program.id, { webhookId: endpoint.id, active: false }, undefined, now);
    await interrupted(
      () => deliver(message, responding()),
      async () => {
        await updateWebhook(program.id, { webhookId: endpoint.id, active: true }, undefined, now);
        await deliver({ ...message, attempt: 0, byHand }, responding());
      },
    );
    expect((await stored())?.status).toBe('SUCCEEDED');
  });
});

describe('race: an endpoint', () => {
  const failing = { failingSince: at(-five) };
  const twice = { attempts: [failedAttempt, failedAttempt] };
  /** Overtakes the write that deactivates the endpoint: slot, slot given back, delivery, endpoint. */
  const deactivating = async (meanwhile: (made: Awaited<ReturnType<typeof setUp>>) => Promise<unknown>) => {
    const made = await setUp(failing, twice);
    await interrupted(
      () => deliver(made.message, responding({ status: 500 })),
      () => meanwhile(made),
      4,
    );
    return made.storedEndpoint();
  };

  it('stays on where a success comes just before its deactivation', async () => {
    const endpoint = await deactivating(async ({ program, endpoint: { id } }) => {
      const found = await webhooks.get(program.id, id);
      if (!found) throw new Error('The endpoint is gone');
      const { message } = await storeDelivery(program.id, found);
      await deliver(message, responding());
    });
    expect(endpoint).toMatchObject({ active: true });
  });

  it('keeps what its owner edits just before its deactivation', async () => {
    const endpoint = await deactivating(({ program, endpoint: { id } }) =>
      updateWebhook(program.id, { webhookId: id, description: 'Shop' }, undefined, now),
    );
    expect(endpoint).toMatchObject({ active: false, description: 'Shop' });
  });

  it('stays on where its owner gives it another URL just before its deactivation', async () => {
    const endpoint = await deactivating(({ program, endpoint: { id } }) =>
      updateWebhook(program.id, { webhookId: id, url: 'https://example.com/new' }, undefined, now),
    );
    expect(endpoint).toMatchObject({ active: true, url: 'https://example.com/new', failingSince: null });
  });

  it('that is deleted just before its deactivation stays deleted', async () => {
    expect(
      await deactivating(({ program, endpoint: { id } }) => deleteWebhook(program.id, id, new Date())),
    ).toBeUndefined();
    expect(await outcomeOf(async () => deactivating(async () => {}))).toBe('accepted');
  });
});
