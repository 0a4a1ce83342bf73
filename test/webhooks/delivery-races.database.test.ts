import { describe, expect, it } from 'vitest';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { updateWebhook } from '../../shared/webhooks/endpoints/update-webhook.ts';
import { at, now, outcomeOf } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { testQueues } from '../support/queues.ts';
import { failedAttempt, responding, storeDelivery } from '../support/webhooks.ts';
import { five, setUp, useLog } from './delivery-attempts.ts';

const { sentTo } = testQueues();
useLog();

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
