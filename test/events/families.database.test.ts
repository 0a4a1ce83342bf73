import { describe, expect, it } from 'vitest';
import { makesEvents } from '../../events/catalogue.ts';
import { withNestedReads } from '../../events/nested-reads.ts';
import type { Deletion } from '../../shared/platform/table/reads.ts';
import { at, newProgram, storeAffiliate, storeCoupon } from '../support/domain.ts';
import { makeStoredCode, makeStoredLink, makeStoredReferral } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';
import { changeOf, coupon, edited, type Image, made, moment, program, sale } from './changes.ts';

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
