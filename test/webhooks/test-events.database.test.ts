import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventCatalogue } from '../../events/catalogue.ts';
import { withActor } from '../../shared/platform/table/actor.ts';
import { notIdempotent } from '../../shared/platform/table/idempotency-context.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { newDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries, events } from '../../shared/webhooks/delivery/repository.ts';
import { testWebhook } from '../../shared/webhooks/delivery/test-webhook.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { appendToFeed } from '../../shared/webhooks/feed/append.ts';
import { readFeed } from '../../shared/webhooks/feed/read.ts';
import { at, now, outcomeOf } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram, storeWebhook } from '../support/webhooks.ts';

const { sent, refuse } = testQueues();

let programId: string;
beforeEach(async () => {
  programId = (await storeProgram()).id;
});

const test = (webhook: StoredWebhook, eventType?: 'sale.created', ...more: [typeof notIdempotent] | []) =>
  testWebhook(programId, { webhookId: webhook.id, eventType }, now, ...more);
const feedOf = async () => (await readFeed(programId, { after: 'start', limit: 100, type: undefined }, now)).entries;
const messageOf = ({ id, eventId, webhookId }: { id: string; eventId: string; webhookId: string }) => ({
  queue: 'deliveries',
  groupId: webhookId,
  body: { programId, deliveryId: id, eventId, webhookId, attempt: 1 },
});

describe('a test of an endpoint', () => {
  it('is an event with a delivery, an entry of the feed, and a message', async () => {
    const webhook = await storeWebhook(programId, { eventTypes: ['coupon.created'] });
    const delivery = await withActor('K:key-1', () => test(webhook));
    expect(delivery).toMatchObject({
      webhookId: webhook.id,
      eventType: 'webhook.test',
      status: 'PENDING',
      createdAt: at(0),
    });
    expect(await deliveries.get(programId, delivery.id)).toEqual(delivery);
    const event = await events.get(programId, delivery.eventId);
    expect(delivery.id).toBe(
      newDelivery({ ...delivery, id: delivery.eventId, type: '', timestamp: at(0) }, webhook).id,
    );
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      timestamp: at(0),
      actor: { type: 'API_KEY', id: 'key-1' },
      data: { webhookId: webhook.id, example: null },
    });
    expect(await feedOf()).toMatchObject([{ id: delivery.eventId }]);
    expect(sent).toMatchObject([messageOf(delivery)]);
  });

  it('has the example of the type that was asked for', async () => {
    const webhook = await storeWebhook(programId);
    const { eventId } = await test(webhook, 'sale.created');
    const { body } = (await events.get(programId, eventId)) ?? { body: '' };
    const { data } = JSON.parse(body);
    const entry = eventCatalogue.find(({ type }) => type === 'sale.created');
    expect(data.example).toEqual(JSON.parse(JSON.stringify(entry?.example)));
  });

  it('is refused where the endpoint is off, of a connection, or gone', async () => {
    const off = await storeWebhook(programId, { active: false });
    const subscription = await storeWebhook(programId, {}, 'CONNECTOR');
    expect(await outcomeOf(() => test(off))).toEqual({ status: 409 });
    expect(await outcomeOf(() => test(subscription))).toEqual({ status: 404 });
    expect(await outcomeOf(() => test({ ...off, id: randomUUID() }))).toEqual({ status: 404 });
    expect(sent).toEqual([]);
    expect((await events.page(programId, { limit: 10 })).items).toEqual([]);
  });

  it('race: keeps its entry of the feed where another event is appended meanwhile', async () => {
    const webhook = await storeWebhook(programId);
    const other = { id: newRecordId(now), type: 'sale.created', feedAfter: 0 };
    const { eventId } = await interrupted(
      () => test(webhook),
      () => appendToFeed(programId, [other], () => now),
    );
    expect((await feedOf()).map(({ id }) => id)).toEqual([other.id, eventId]);
  });

  it('that died before its message was sent sends that of the delivery it made', async () => {
    const webhook = await storeWebhook(programId);
    refuse(() => true);
    const created: string[] = [];
    const first = {
      ...notIdempotent,
      recordCreated: (id: string) => {
        created.push(id);
        return [];
      },
    };
    await expect(test(webhook, undefined, first)).rejects.toThrow('refused');
    refuse(() => false);
    const [id = ''] = created;
    const again = await test(webhook, undefined, { ...notIdempotent, existingRecordId: async () => id });
    expect(again).toEqual(await deliveries.get(programId, id));
    expect(sent).toMatchObject([messageOf(again)]);
    expect((await deliveries.page(programId, { limit: 10 })).items).toHaveLength(1);
  });

  it('is made again where the delivery that was made is gone', async () => {
    const webhook = await storeWebhook(programId);
    const existingRecordId = async () => randomUUID();
    const delivery = await test(webhook, undefined, { ...notIdempotent, existingRecordId });
    expect(await deliveries.get(programId, delivery.id)).toEqual(delivery);
  });
});
