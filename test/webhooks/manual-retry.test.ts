import { describe, expect, it, vi } from 'vitest';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import type { DeliveryMessage } from '../../shared/webhooks/delivery/delivery-message.ts';
import { newDelivery, type StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { changedWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { api, clock, eventAt, later, made, programId, responding, useOwnQueue } from './retries-in-process.ts';

useOwnQueue();

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
