import { describe, expect, it } from 'vitest';
import { eventCatalogue } from '../../events/catalogue.ts';
import { EventTooLarge, maxEventBytes, recordEvent } from '../../events/family.ts';
import { withNestedReads } from '../../events/nested-reads.ts';
import type { StoredPayoutBatch } from '../../shared/domain/payouts/rules.ts';
import { at, newProgram, now, storeCode, storeCoupon } from '../support/domain.ts';
import { makeStoredReferral } from '../support/stored-records.ts';
import { changeOf, coupon, edited, made, moment, program, type States, sale } from './changes.ts';

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
  couponId: null,
  minimumAmountMinor: null,
  currency: 'USD',
  payoutCount: 1,
  saleCount: 1,
  totalAmountMinor: '1000',
  paidAt: null,
  source: 'API',
};
const typesOf = async (kind: string, states: States) => (await made(kind, states)).map(({ type }) => type);

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

  it.each([
    { from: null, to: 'HELD', also: ['sale.held'] },
    { from: 'HELD', to: 'HELD', also: [] },
    { from: 'HELD', to: 'APPROVED', also: ['sale.approved'] },
    { from: 'HELD', to: 'REJECTED', also: ['sale.rejected'] },
    { from: 'APPROVED', to: 'APPROVED', also: [] },
    { from: 'REJECTED', to: 'REJECTED', also: [] },
  ] as const)('a sale whose review goes from $from to $to: $also', async ({ from, to, also }) => {
    const before = { ...sale, reviewStatus: from };
    const types = await typesOf('SALE', { before, after: edited(before, { name: 'Mei', reviewStatus: to }) });
    expect(types).toEqual(['sale.updated', ...also]);
  });

  it('is also made by a new sale that is held, with nothing before it', async () => {
    const held: typeof sale = { ...sale, reviewStatus: 'HELD', reviewReasons: ['BURST'] };
    const [created, onHold, ...others] = await made('SALE', { after: held });
    expect(others).toEqual([]);
    expect([created?.type, onHold?.type]).toEqual(['sale.created', 'sale.held']);
    expect(created).not.toHaveProperty('previousAttributes');
    expect(onHold).toMatchObject({ previousAttributes: {}, data: { reviewStatus: 'HELD', reviewReasons: ['BURST'] } });
    expect(onHold?.id).not.toBe(created?.id);
    expect(await typesOf('SALE', { after: sale })).toEqual(['sale.created']);
    expect(await typesOf('SALE', { before: held })).toEqual(['sale.deleted']);
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
  const redemption = { couponId: coupon.id, fromCodeCap: false, fromCouponCap: false };

  it.each([
    { kind: 'SALE', record: sale, type: 'sale.created' },
    { kind: 'REFERRAL', record: makeStoredReferral(moment), type: 'referral.created' },
  ])(
    'by a new $kind has an event of the code beside its own, and an edit of it none',
    async ({ kind, record, type }) => {
      const owner = newProgram();
      const code = await storeCode(owner, await storeCoupon(owner));
      const redeeming = { ...record, promotionalCodeId: code.id, redemption, by: 'K:key-1' };
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

  it.each([
    { kind: 'SALE', record: sale, type: 'sale.created' },
    { kind: 'REFERRAL', record: makeStoredReferral(moment), type: 'referral.created' },
  ])('by a new $kind that only names its code is none', async ({ kind, record, type }) => {
    const owner = newProgram();
    const { id } = await storeCode(owner, await storeCoupon(owner));
    const types = (await made(kind, { after: { ...record, promotionalCodeId: id, redemption: null } }, owner)).map(
      (event) => event.type,
    );
    expect(types).toEqual([type]);
  });

  it('of a code that is missing, with its tombstone, fails', async () => {
    await expect(made('SALE', { after: { ...sale, promotionalCodeId: coupon.id, redemption } })).rejects.toThrow(
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
