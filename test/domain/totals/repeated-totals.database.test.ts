import { describe, expect, it } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { hasOrdered } from '../../../shared/domain/attribution/customers.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { lastDaysIn } from '../../../shared/platform/time/days.ts';
import { changeRecord } from '../../support/changes.ts';
import { at, newProgram, now } from '../../support/domain.ts';
import { testQueues } from '../../support/queues.ts';
import { makeStoredSale } from '../../support/sales.ts';
import { count, redeem, setUp } from './counted-changes.ts';

const { sentTo } = testQueues();

describe('a change that comes again', () => {
  it('counts once, alone or in the same batch', async () => {
    const { program, sale, totals } = await setUp();
    const change = changeRecord(program, 'SALE', { after: sale() });
    await count(change);
    await count(change);
    await count(change, changeRecord(program, 'SALE', { after: sale() }));
    expect((await totals()).totalRevenueMinor).toBe(20_000);
  });

  it('beside others that were not counted before leaves them counted, wherever it is in the batch', async () => {
    const { program, sale, totals, today } = await setUp();
    const changes = Array.from({ length: 4 }, () => changeRecord(program, 'SALE', { after: sale() }));
    const [first, second, ...others] = changes;
    if (second) await count(second);
    await count(...changes);
    expect((await totals()).totalRevenueMinor).toBe(40_000);
    if (first) await count(...others, first);
    expect((await totals()).totalRevenueMinor).toBe(40_000);
    expect((await today())?.count).toBe(4);
  });

  it('beside another that takes it back leaves that one counted, though the two add nothing together', async () => {
    const { program, sale, totals, today } = await setUp();
    const [small, large] = [sale({ totalEarnedMinor: 10_000 }), sale({ totalEarnedMinor: 30_000 })];
    const created = changeRecord(program, 'SALE', { after: small });
    const raised = changeRecord(program, 'SALE', { before: small, after: large });
    const lowered = changeRecord(program, 'SALE', { before: large, after: small });
    await count(created);
    await count(raised);
    await count(raised, lowered);
    expect((await totals()).totalRevenueMinor).toBe(10_000);
    await count(raised, lowered);
    await count(lowered);
    expect((await totals()).totalRevenueMinor).toBe(10_000);
    expect((await today())?.count).toBe(1);
  });

  it('is another one where the stream gives it another id', async () => {
    const { program, sale, totals } = await setUp();
    const change = changeRecord(program, 'SALE', { after: sale() });
    await count(change, { ...change, eventID: 'another' });
    expect((await totals()).totalRevenueMinor).toBe(20_000);
  });
});

describe('of a batch', () => {
  it('with more totals than one transaction takes all are counted', async () => {
    const program = newProgram();
    const dayMilliseconds = 24 * 60 * 60 * 1000;
    const saleOf = (_: unknown, day: number) =>
      makeStoredSale('', { affiliateId: null, createdAt: at(-day * dayMilliseconds) });
    const sales = Array.from({ length: 101 }, saleOf);
    await count(...sales.map((after) => changeRecord(program, 'SALE', { after })));
    const days = await salesByDay(program.id, lastDaysIn('UTC', 101, now));
    expect(days.map((day) => day.count)).toEqual(sales.map(() => 1));
  });

  it('of several programs each has its own', async () => {
    const [one, other] = [await setUp(), await setUp()];
    await count(
      changeRecord(one.program, 'SALE', { after: one.sale() }),
      changeRecord(other.program, 'SALE', { after: other.sale({ totalEarnedMinor: 500 }) }),
    );
    expect((await one.totals()).totalRevenueMinor).toBe(10_000);
    expect((await other.totals()).totalRevenueMinor).toBe(500);
  });

  it('what cannot be read is set aside, and the others count', async () => {
    const { program, sale, totals } = await setUp();
    const broken = { ...sale(), totalEarnedMinor: 'ten' } as unknown as StoredSale;
    await count(changeRecord(program, 'SALE', { after: broken }), changeRecord(program, 'SALE', { after: sale() }));
    expect((await totals()).totalRevenueMinor).toBe(10_000);
    expect(sentTo('dead-letters')).toHaveLength(1);
  });
});

describe('a total whose record is gone', () => {
  const gone: { is: string; remove: (made: Awaited<ReturnType<typeof setUp>>) => Promise<void> }[] = [
    {
      is: 'the affiliate',
      remove: ({ program, affiliate }) =>
        deleteItem('records', { pk: partition(program.id, 'AFFILIATE', 'TOTALS'), sk: affiliate.id }),
    },
    {
      is: 'the referral',
      remove: ({ program, referral }) =>
        deleteItem('records', { pk: partition(program.id, 'REFERRAL'), sk: referral.id }),
    },
    {
      is: 'the link',
      remove: ({ program, link }) => deleteItem('records', { pk: partition(program.id, 'LINK'), sk: link.id }),
    },
  ];

  it.each(gone)('$is stays gone, and the other totals count', async ({ remove }) => {
    const made = await setUp();
    const { program, affiliate, referral, link, sale, today } = made;
    await remove(made);
    const state = async () => [
      (await withTotals(program.id, [affiliate]))[0]?.totalRevenueMinor,
      (await referrals.get(program.id, referral.id))?.totalRevenueMinor,
      (await links.get(program.id, link.id))?.totalRevenueMinor,
    ];
    const before = await state();
    await count(changeRecord(program, 'SALE', { after: sale() }));
    expect((await state()).filter((total) => total === 10_000)).toHaveLength(2);
    expect((await state()).map((total, at) => total === before[at])).toContain(true);
    expect((await today())?.count).toBe(1);
  });

  it('is that of a purged program: no day and no customer come back', async () => {
    const { program, sale, today } = await setUp();
    await count(changeRecord(program, 'SALE', { before: sale({ email: 'priya@example.com' }) }));
    expect(await today()).toMatchObject({ count: 0, revenueMinor: 0n });
    expect(await hasOrdered(program.id, 'priya@example.com')).toBe(false);
  });

  it('is that of a code and its coupon: the sale still counts', async () => {
    const program = newProgram();
    const { sale, redeemed } = await redeem(program);
    const { promotionalCodeId, redemption } = sale;
    await deleteItem('records', { pk: partition(program.id, 'PROMOTIONAL_CODE'), sk: promotionalCodeId ?? '' });
    await deleteItem('records', { pk: partition(program.id, 'COUPON'), sk: redemption?.couponId ?? '' });
    await count(changeRecord(program, 'SALE', { after: sale }));
    expect(await redeemed()).toEqual({ code: undefined, coupon: undefined, isUncounted: false });
    expect((await salesByDay(program.id, lastDaysIn('UTC', 1, now)))[0]?.count).toBe(1);
  });
});
