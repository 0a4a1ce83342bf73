import { describe, expect, it } from 'vitest';
import { eventCatalogue, eventsOf, makesEvents } from '../../events/catalogue.ts';
import { EventTooLarge, maxEventBytes, recordEvent } from '../../events/family.ts';
import { withNestedReads } from '../../events/nested-reads.ts';
import type { StoredPayoutBatch } from '../../shared/domain/payouts/rules.ts';
import type { Change } from '../../shared/platform/table/change.ts';
import type { Deletion } from '../../shared/platform/table/reads.ts';
import { at, newProgram, now, storeAffiliate, storeCode, storeCoupon } from '../support/domain.ts';
import { makeStoredSale } from '../support/sales.ts';
import { makeStoredCode, makeStoredCoupon, makeStoredLink, makeStoredReferral } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';

const moment = { createdAt: at(0), updatedAt: at(0) };
const coupon = makeStoredCoupon(moment);
const sale = makeStoredSale('', { ...moment, affiliateId: null });
const batch: StoredPayoutBatch = {
  id: '019a0000-0000-7000-8000-0000000000b1',
  ...moment,
  version: 1,
  name: null,
  status: 'PREPARING',
  step: 'DONE',
  periodStart: null,
  periodEnd: at(0),
  affiliateIds: null,
  paymentMethod: null,
  minimumAmountMinor: null,
  currency: 'USD',
  payoutCount: 1,
  saleCount: 1,
  totalAmountMinor: '1000',
  paidAt: null,
};

type Image = Record<string, unknown> & { id: string };
interface States {
  before?: Image;
  after?: Image;
}

const changeOf = (programId: string, kind: string, { before, after }: States): Change => ({
  programId,
  kind,
  recordId: (after ?? before)?.id ?? '',
  before: before && { ...before },
  after: after && { ...after },
  noticedAt: new Date(at(9000)),
});

/** The next version of a record, a second later. */
const edited = <Stored extends { version: number }>(record: Stored, changed: Partial<Stored>): Stored => ({
  ...record,
  version: record.version + 1,
  updatedAt: at(1000),
  ...changed,
});

const program = newProgram();
const made = async (kind: string, states: States, inProgram: Parameters<typeof eventsOf>[1] = program) => {
  const events = await eventsOf(changeOf(inProgram.id, kind, states), inProgram);
  for (const { body, ...event } of events) expect(JSON.parse(body)).toMatchObject(event);
  return events.map(({ body }) => JSON.parse(body));
};
const typesOf = async (kind: string, states: States) => (await made(kind, states)).map(({ type }) => type);

/** A program whose tombstones are these, by kind and id. */
const withDeletions = (deletions: Record<string, Deletion>) => ({
  ...program,
  reads: {
    ...withNestedReads({ ...program } as never).reads,
    deletions: async () => new Map(Object.entries(deletions)),
  },
});

describe('events', () => {
  it('a new record: one created event, with its creation time and actor', async () => {
    const [event, ...others] = await made('COUPON', { after: { ...coupon, by: 'M:ada@example.com' } });
    expect(event).toMatchObject({ type: 'coupon.created', timestamp: at(0), data: { id: coupon.id, percentOff: 20 } });
    expect(event.actor).toEqual({ type: 'MEMBER', id: 'ada@example.com' });
    expect(event).not.toHaveProperty('previousAttributes');
    expect(others).toEqual([]);
  });

  it('an edit: one updated event, with the previous values', async () => {
    const [event, ...others] = await made('COUPON', { before: coupon, after: edited(coupon, { percentOff: 25 }) });
    expect(event).toMatchObject({ type: 'coupon.updated', timestamp: at(1000), data: { percentOff: 25 } });
    expect(event.previousAttributes).toEqual({ percentOff: 20 });
    expect(others).toEqual([]);
  });

  it.each([
    { kind: 'COUPON', before: coupon, changed: { timesRedeemed: 5 } },
    {
      kind: 'REFERRAL',
      before: makeStoredReferral(moment),
      changed: { totalRevenueMinor: 5, totalCommissionMinor: 1 },
    },
    { kind: 'SALE', before: sale, changed: {} },
  ])('$kind: no event if only counters changed, or nothing', async ({ kind, before, changed }) => {
    expect(await made(kind, { before, after: edited(before, changed) })).toEqual([]);
  });

  it('a code or a link: one created event with its affiliate, and none if only counters changed', async () => {
    const owner = await storeProgram();
    const { id: affiliateId, email } = await storeAffiliate(owner);
    const { id: couponId } = await storeCoupon(owner);
    const code = makeStoredCode({ ...moment, affiliateId, couponId });
    const link = makeStoredLink({ ...moment, affiliateId });
    expect(await made('PROMOTIONAL_CODE', { after: code }, owner)).toMatchObject([
      { type: 'promotional_code.created', data: { id: code.id, affiliate: { email }, coupon: { id: couponId } } },
    ]);
    for (const inProgram of [owner, withNestedReads(owner)])
      expect(await made('LINK', { after: link }, inProgram)).toMatchObject([
        { type: 'link.created', data: { id: link.id, affiliate: { email } } },
      ]);
    expect(await made('PROMOTIONAL_CODE', { before: code, after: edited(code, { timesRedeemed: 5 }) }, owner)).toEqual(
      [],
    );
    expect(await made('LINK', { before: link, after: edited(link, { clicks: 5 }) }, owner)).toEqual([]);
  });

  it('no event if the version did not change', async () => {
    expect(await made('COUPON', { before: coupon, after: { ...coupon, name: 'Other' } })).toEqual([]);
    expect(await made('COUPON', {})).toEqual([]);
  });

  it('no event for a kind without events', async () => {
    const change = { after: { id: '1', promotionalCodeId: coupon.id, createdAt: at(0), version: 1 } };
    expect(await made('ADJUSTMENT', change)).toEqual([]);
    const isNoticed = (kind: string) => makesEvents(changeOf(program.id, kind, change));
    expect([isNoticed('ADJUSTMENT'), isNoticed('SALE')]).toEqual([false, true]);
  });

  it('an affiliate: events with the totals', async () => {
    const owner = newProgram();
    const affiliate = await storeAffiliate(owner);
    const [event] = await made('AFFILIATE', { after: affiliate }, owner);
    expect(event).toMatchObject({ type: 'affiliate.created', data: { id: affiliate.id, totalRevenue: 0 } });
    const renamed = edited(affiliate, { firstName: 'Zoë' });
    const [update] = await made('AFFILIATE', { before: affiliate, after: renamed }, owner);
    expect([update.type, update.previousAttributes]).toEqual([
      'affiliate.updated',
      { firstName: 'Amara', name: 'Amara Okafor' },
    ]);
  });
});

describe('the event of a deletion', () => {
  const deleted = async (kind: string, before: Image, deletions?: Record<string, Deletion>) => {
    const [event] = await made(kind, { before }, deletions && withDeletions(deletions));
    return [event.type, event.timestamp, event.actor?.id ?? null];
  };
  const own = `COUPON/${coupon.id}`;

  it('is at the time of the tombstone, by who deleted the record', async () => {
    const tombstone = { at: at(5000), by: 'K:key-1' };
    expect(await deleted('COUPON', coupon, { [own]: tombstone })).toEqual(['coupon.deleted', at(5000), 'key-1']);
  });

  it('is no earlier than the last edit', async () => {
    const later = { ...coupon, updatedAt: at(7000) };
    expect((await deleted('COUPON', later, { [own]: { at: at(5000), by: null } }))[1]).toBe(at(7000));
  });

  it('of a sale without a referral is that of its affiliate', async () => {
    const affiliateId = '019a0000-0000-7000-8000-0000000000a1';
    const deletions = { [`AFFILIATE/${affiliateId}`]: { at: at(20_000), by: 'M:ada@example.com' } };
    const before = { ...sale, affiliateId };
    expect(await deleted('SALE', before, deletions)).toEqual(['sale.deleted', at(20_000), 'ada@example.com']);
  });

  it('is at the time when the change was noticed where there is no tombstone', async () => {
    expect(await deleted('COUPON', coupon, {})).toEqual(['coupon.deleted', at(9000), null]);
    expect(await deleted('COUPON', coupon)).toEqual(['coupon.deleted', at(9000), null]);
  });

  it.each([
    { first: 'affiliate', affiliateAt: at(10_000), referralAt: at(20_000), by: 'referral' },
    { first: 'referral', affiliateAt: at(20_000), referralAt: at(10_000), by: 'affiliate' },
  ])('of a sale whose $first was deleted first is that of the other', async ({ affiliateAt, referralAt, by }) => {
    const ids = {
      affiliateId: '019a0000-0000-7000-8000-0000000000a1',
      referralId: '019a0000-0000-7000-8000-0000000000e1',
    };
    const deletions = {
      [`AFFILIATE/${ids.affiliateId}`]: { at: affiliateAt, by: 'S:affiliate' },
      [`REFERRAL/${ids.referralId}`]: { at: referralAt, by: 'S:referral' },
    };
    const asked: string[][] = [];
    const { reads } = withDeletions(deletions);
    const deletionsOf = async (names: Iterable<string>) => {
      const wanted = [...names];
      asked.push(wanted);
      return new Map(Object.entries(deletions).filter(([name]) => wanted.includes(name)));
    };
    const [event] = await made(
      'SALE',
      { before: { ...sale, ...ids } },
      {
        ...program,
        reads: { ...reads, deletions: deletionsOf },
      },
    );
    expect([event.timestamp, event.actor]).toEqual([at(20_000), { type: 'SYSTEM', id: by }]);
    expect(asked).toEqual([[`SALE/${sale.id}`], Object.keys(deletions)]);
  });
});

describe('an edit with an event of its own', () => {
  it.each([
    { refunded: [0, 100], types: ['sale.updated', 'sale.refunded'] },
    { refunded: [100, 100], types: ['sale.updated'] },
    { refunded: [100, 0], types: ['sale.updated'] },
  ])('a sale refunded by $refunded: $types', async ({ refunded: [before = 0, after = 0], types }) => {
    const from = { ...sale, refundedAmountMinor: before };
    expect(
      await typesOf('SALE', { before: from, after: edited(from, { name: 'Mei', refundedAmountMinor: after }) }),
    ).toEqual(types);
  });

  it('says in each of its events what the edit changed', async () => {
    const to = edited(sale, { name: 'Mei', refundedAmountMinor: 100 });
    const events = await made('SALE', { before: sale, after: to });
    expect(events.map(({ type }) => type)).toEqual(['sale.updated', 'sale.refunded']);
    for (const event of events) expect(event.previousAttributes).toEqual({ name: sale.name, refundedAmount: 0 });
  });

  it.each([
    { from: 'PREPARING', to: 'READY', also: ['payout_batch.ready'] },
    { from: 'PREPARING', to: 'PREPARING', also: [] },
    { from: 'READY', to: 'READY', also: [] },
    { from: 'READY', to: 'PAID', also: ['payout_batch.paid'] },
    { from: 'PAID', to: 'PAID', also: [] },
  ] as const)('a payout batch from $from to $to: $also', async ({ from, to, also }) => {
    const before = { ...batch, status: from };
    const types = await typesOf('PAYOUT_BATCH', { before, after: edited(before, { name: 'May', status: to }) });
    expect(types).toEqual(['payout_batch.updated', ...also]);
  });
});

describe('a redemption', () => {
  it.each([
    { kind: 'SALE', record: sale, type: 'sale.created' },
    { kind: 'REFERRAL', record: makeStoredReferral(moment), type: 'referral.created' },
  ])(
    'by a new $kind has an event of the code beside its own, and an edit of it none',
    async ({ kind, record, type }) => {
      const owner = newProgram();
      const code = await storeCode(owner, await storeCoupon(owner));
      const redeeming = { ...record, promotionalCodeId: code.id, by: 'K:key-1' };
      const [first, second, ...others] = await made(kind, { after: redeeming }, owner);
      expect([first.type, second.type, others]).toEqual([type, 'promotional_code.redeemed', []]);
      expect(second).toMatchObject({
        timestamp: at(0),
        actor: { id: 'key-1' },
        data: { id: code.id, code: code.code },
      });
      expect(await made(kind, { after: redeeming }, { ...owner, ...withNestedReads(owner as never) })).toEqual([
        first,
        second,
      ]);
      const update = await made(kind, { before: redeeming, after: { ...redeeming, version: 2, name: 'Mei' } }, owner);
      expect(update.map((event) => event.type)).toEqual([type.replace('created', 'updated')]);
    },
  );

  it('by a sale without a code is none', async () => {
    expect(await typesOf('SALE', { after: sale })).toEqual(['sale.created']);
  });

  it('of a code that is missing, with its tombstone, fails', async () => {
    await expect(made('SALE', { after: { ...sale, promotionalCodeId: coupon.id } })).rejects.toThrow(
      `The redeemed promotional code ${coupon.id} and its tombstone are missing`,
    );
  });
});

describe('the body of an event', () => {
  const event = (length: number) =>
    recordEvent({
      change: changeOf(program.id, 'COUPON', { after: coupon }),
      type: 'coupon.created' as const,
      timestamp: now.toISOString(),
      actor: null,
      version: 1,
      data: { text: 'x'.repeat(length) },
    });
  const room = maxEventBytes - event(0).body.length;

  it('has at most 256 KB', () => {
    expect(event(room).body).toHaveLength(256 * 1024);
    expect(() => event(room + 1)).toThrow(EventTooLarge);
    expect(() => event(room + 1)).toThrow(`The event coupon.created has ${maxEventBytes + 1} bytes`);
  });

  it('has the same id whenever the same change is looked at', () => {
    expect(event(1).id).toBe(event(2).id);
  });

  it.each(eventCatalogue)('of $type is as its schema says', ({ type, schema, example }) => {
    expect(schema.parse(example)).toEqual(example);
    expect(schema.safeParse({ ...example, type: 'other' }).success).toBe(false);
    for (const field of ['id', 'timestamp', 'actor', 'data'])
      expect(schema.safeParse({ ...example, [field]: undefined }).success, `${type} ${field}`).toBe(false);
  });
});
