import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { derivedId } from '../../shared/platform/table/derived-id.ts';
import type { Kind } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { deliveries, events } from '../../shared/webhooks/delivery/repository.ts';
import { fanOut as fanOutAt } from '../../shared/webhooks/fan-out/fan-out.ts';
import { changeRecord } from '../support/changes.ts';
import { at, now } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { testQueues } from '../support/queues.ts';
import { makeStoredSale } from '../support/sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredLink,
  makeStoredReferral,
} from '../support/stored-records.ts';
import { storeProgram, storeWebhook } from '../support/webhooks.ts';

const { sent, sentTo, refuse } = testQueues();

const fanOut = (records: readonly DynamoDBRecord[]) => fanOutAt(records, () => now);

let logged: string[];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)));
});

const moment = { createdAt: at(0), updatedAt: at(0) };
const newCoupon = () => makeStoredCoupon({ id: newRecordId(now), ...moment });

const setUp = async (webhookCount = 1) => {
  const program = await storeProgram();
  const endpoints = [];
  for (let count = 0; count < webhookCount; count++) endpoints.push(await storeWebhook(program.id));
  return {
    program,
    endpoints,
    created: (coupon = newCoupon()) => changeRecord(program, 'COUPON', { after: coupon }),
    eventsOf: async () => (await events.page(program.id, { limit: 100 })).items,
    deliveriesOf: async () => (await deliveries.page(program.id, { limit: 100 })).items,
  };
};

describe('a change', () => {
  it('is an event and one delivery for each endpoint that wants it, with the first message of each', async () => {
    const { program, created, eventsOf, deliveriesOf } = await setUp(2);
    const wanting = await storeWebhook(program.id, { eventTypes: ['coupon.created'] });
    const others = [
      await storeWebhook(program.id, { eventTypes: ['coupon.updated'] }),
      await storeWebhook(program.id, { active: false }),
    ];
    expect(await fanOut([created()])).toBeUndefined();
    const made = await deliveriesOf();
    expect(await eventsOf()).toMatchObject([{ type: 'coupon.created' }]);
    expect(made).toHaveLength(3);
    expect(made.map(({ webhookId }) => webhookId)).toContain(wanting.id);
    for (const { id } of others) expect(made.map(({ webhookId }) => webhookId)).not.toContain(id);
    expect(
      sentTo('deliveries')
        .map(({ body }) => body.deliveryId)
        .toSorted(),
    ).toEqual(made.map(({ id }) => id).toSorted());
    for (const { body, groupId } of sentTo('deliveries')) {
      expect(body).toMatchObject({ programId: program.id, attempt: 1 });
      expect(groupId).toBe(body.webhookId);
    }
  });

  it.each([
    { is: 'two seconds after the change', createdAt: at(2000), count: 1 },
    { is: 'more than two seconds after it', createdAt: at(2001), count: 0 },
  ])('is for an endpoint that is made $is: $count', async ({ createdAt, count }) => {
    const { program, created } = await setUp(0);
    await storeWebhook(program.id, { createdAt });
    await fanOut([created()]);
    expect(sentTo('deliveries')).toHaveLength(count);
  });

  it('of a program on the FREE plan is an event without deliveries', async () => {
    const { program, created, eventsOf } = await setUp();
    await setPlan(program.ownerEmail, 'FREE');
    await fanOut([created()]);
    expect(await eventsOf()).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it('of a deleted program is nothing, but its own deletion is work', async () => {
    const { program, created, eventsOf } = await setUp();
    await deleteProgram(program.id);
    const coupon = newCoupon();
    await fanOut([created(), changeRecord(program, 'COUPON', { before: coupon })]);
    expect(sent).toEqual([]);
    expect(await eventsOf()).toEqual([]);
    await fanOut([changeRecord(program, 'PROGRAM', { before: { ...program } })]);
    expect(sentTo('deletions').map(({ body }) => body)).toEqual([
      { programId: program.id, kind: 'PROGRAM', id: program.id },
    ]);
  });

  it('that comes again stores nothing anew and sends its messages again', async () => {
    const { created, eventsOf, deliveriesOf } = await setUp();
    const change = created();
    await fanOut([change]);
    await fanOut([change, change]);
    expect(await eventsOf()).toHaveLength(1);
    expect(await deliveriesOf()).toHaveLength(1);
    expect(new Set(sentTo('deliveries').map(({ body }) => body.deliveryId)).size).toBe(1);
    expect(sentTo('deliveries')).toHaveLength(3);
  });

  it('race: that two runs fan out at once is one event and one delivery', async () => {
    const { created, eventsOf, deliveriesOf } = await setUp();
    const change = created();
    await interrupted(
      () => fanOut([change]),
      () => fanOut([change]),
    );
    const [event] = await eventsOf();
    const made = await deliveriesOf();
    expect(made).toHaveLength(1);
    expect(made[0]?.id).toBe(derivedId(now, event?.id ?? '', made[0]?.webhookId ?? ''));
  });
});

describe('changes that take longer than the function has', () => {
  it('are left for the next batch, which begins with the first of them', async () => {
    const { created, eventsOf, deliveriesOf } = await setUp(2);
    const changes = Array.from({ length: 50 }, created.bind(undefined, undefined));
    // The twenty that begin at once do so within 15 seconds, and no other.
    let asked = 0;
    const clock = () => {
      asked += 1;
      return new Date(now.getTime() + (asked === 1 ? 0 : asked <= 21 ? 15_000 : 15_001));
    };
    expect(await fanOutAt(changes, clock)).toBe(changes[20]);
    expect(await eventsOf()).toHaveLength(20);
    expect(await fanOut(changes.slice(20))).toBeUndefined();
    expect(await eventsOf()).toHaveLength(50);
    expect(await deliveriesOf()).toHaveLength(100);
    expect(sentTo('deliveries')).toHaveLength(100);
  });
});

describe('background work', () => {
  it('of a deleted endpoint cancels what waits for it, and of a changed one nothing', async () => {
    const { program, endpoints } = await setUp();
    const webhook = endpoints[0] as { id: string };
    await fanOut([changeRecord(program, 'WEBHOOK', { before: webhook, after: webhook })]);
    expect(sent).toEqual([]);
    await fanOut([changeRecord(program, 'WEBHOOK', { before: webhook })]);
    expect(sent).toMatchObject([
      { queue: 'redeliveries', body: { programId: program.id, webhookId: webhook.id, deleted: true } },
    ]);
  });

  const affiliate = makeStoredAffiliate();
  const link = makeStoredLink();
  const coupon = makeStoredCoupon();
  const referral = makeStoredReferral();
  const batch = { id: '019a0000-0000-7000-8000-0000000000b1', status: 'READY' };
  const code = makeStoredCode({ affiliateId: affiliate.id });

  it.each<{ kind: Kind; before?: { id: string }; after?: { id: string }; jobs: Record<string, object> }>([
    { kind: 'AFFILIATE', after: affiliate, jobs: { 'automatic-codes': { affiliateId: affiliate.id } } },
    { kind: 'AFFILIATE', before: affiliate, after: { ...affiliate, firstName: 'Zoë' } as never, jobs: {} },
    {
      kind: 'AFFILIATE',
      before: affiliate,
      jobs: {
        'code-connections': { affiliateId: affiliate.id },
        deletions: { kind: 'AFFILIATE', id: affiliate.id },
      },
    },
    { kind: 'COUPON', before: coupon, jobs: { deletions: { kind: 'COUPON', id: coupon.id } } },
    { kind: 'REFERRAL', before: referral, jobs: { deletions: { kind: 'REFERRAL', id: referral.id } } },
    { kind: 'SALE', before: makeStoredSale(affiliate.id), jobs: {} },
  ])('of $kind with $jobs', async ({ kind, before, after, jobs }) => {
    const { program } = await setUp(0);
    await fanOut([changeRecord(program, kind, { ...(before && { before }), ...(after && { after }) })]);
    expect(Object.fromEntries(sent.map(({ queue, body: { programId: _, ...body } }) => [queue, body]))).toEqual(jobs);
    for (const { groupId } of sent) expect(groupId).toBe(program.id);
  });

  it.each([
    { before: undefined, after: batch, task: 'prepare' },
    { before: batch, after: { ...batch, status: 'PAID' }, task: 'pay' },
    { before: { ...batch, status: 'PREPARING' }, after: batch, task: undefined },
    { before: { ...batch, status: 'PAID' }, after: { ...batch, status: 'PAID' }, task: undefined },
    { before: batch, after: undefined, task: 'release' },
  ])('of a payout batch from $before to $after is $task', async ({ before, after, task }) => {
    const { program } = await setUp(0);
    await fanOut([changeRecord(program, 'PAYOUT_BATCH', { ...(before && { before }), ...(after && { after }) })]);
    expect(sentTo('payout-batches').map(({ body }) => body.task)).toEqual(task ? [task] : []);
  });

  it('of a code or link that is connected, moved or renamed', async () => {
    const { program } = await setUp(0);
    const workOf = async (kind: Kind, changed: { before?: { id: string }; after?: { id: string } }) => {
      sent.length = 0;
      await fanOut([changeRecord(program, kind, changed)]);
      return sentTo('code-connections').length;
    };
    expect(await workOf('PROMOTIONAL_CODE', { after: code })).toBe(1);
    expect(await workOf('PROMOTIONAL_CODE', { after: makeStoredCode() })).toBe(0);
    expect(await workOf('PROMOTIONAL_CODE', { before: code })).toBe(1);
    expect(await workOf('LINK', { after: link })).toBe(1);
  });
});

describe('messages that the queue refuses', () => {
  it('make the first change of them come again with all that follow, and each delivery is made once', async () => {
    const { created, deliveriesOf } = await setUp();
    const changes = [created(), created(), created()];
    let asked = 0;
    refuse(() => {
      asked += 1;
      return asked === 2;
    });
    const failed = await fanOut(changes);
    expect(changes).toContain(failed);
    expect(sentTo('deliveries')).toHaveLength(2);
    refuse(() => false);
    expect(await fanOut(changes.slice(failed && changes.indexOf(failed)))).toBeUndefined();
    expect(new Set(sentTo('deliveries').map(({ body }) => body.deliveryId)).size).toBe(3);
    expect(await deliveriesOf()).toHaveLength(3);
  });

  it.each(['deliveries', 'automatic-codes'])(
    'of the queue %s name the change, whatever the other queue took',
    async (queue) => {
      const { program, endpoints } = await setUp();
      const change = changeRecord(program, 'AFFILIATE', {
        after: makeStoredAffiliate({ id: newRecordId(now), ...moment }),
      });
      refuse((message) => message.queue === queue);
      expect(await fanOut([change])).toBe(change);
      expect(sent).toHaveLength(1);
      refuse(() => false);
      sent.length = 0;
      expect(await fanOut([change])).toBeUndefined();
      expect(sent.map((message) => message.queue).toSorted()).toEqual(['automatic-codes', 'deliveries']);
      expect(endpoints).toHaveLength(1);
    },
  );

  it('of the first of several changes name the first, in the order of the stream', async () => {
    const { created } = await setUp();
    const changes = [created(), created(), created()];
    refuse(({ queue }) => queue === 'deliveries');
    expect(await fanOut(changes)).toBe(changes[0]);
    expect(sent).toEqual([]);
  });
});

describe('a change that cannot be read', () => {
  it('is set aside, and does not hold up the others', async () => {
    const { program, created } = await setUp();
    const broken = changeRecord(program, 'COUPON', { after: { ...newCoupon(), name: 7 } as never });
    expect(await fanOut([broken, created()])).toBeUndefined();
    expect(sentTo('dead-letters').map(({ body }) => body.setAside.eventId)).toEqual([broken.eventID]);
    expect(sentTo('deliveries')).toHaveLength(1);
    expect(logged).toHaveLength(1);
  });

  it('comes again where it cannot be set aside', async () => {
    const { program, created } = await setUp();
    const broken = changeRecord(program, 'COUPON', { after: { ...newCoupon(), name: 7 } as never });
    refuse(({ queue }) => queue === 'dead-letters');
    expect(await fanOut([created(), broken])).toBe(broken);
  });

  it('of an affiliate still gets its background work', async () => {
    const { program } = await setUp();
    const broken = changeRecord(program, 'AFFILIATE', { before: { ...makeStoredAffiliate(), email: 7 } as never });
    expect(await fanOut([broken])).toBeUndefined();
    expect(sent.map(({ queue }) => queue).toSorted()).toEqual(['code-connections', 'dead-letters', 'deletions']);
  });
});
