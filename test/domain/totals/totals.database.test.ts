import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { hasOrdered, orderCount } from '../../../shared/domain/attribution/customers.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { salesByDay } from '../../../shared/domain/sales/sales-by-day.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { hasUncounted } from '../../../shared/domain/uses/uncounted.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { lastDaysIn } from '../../../shared/platform/time/days.ts';
import { changeRecord } from '../../support/changes.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeLink,
  storeReferral,
  type TestProgram,
} from '../../support/domain.ts';
import { testQueues } from '../../support/queues.ts';
import { makeStoredAdjustment, makeStoredSale } from '../../support/sales.ts';

const { sentTo } = testQueues();

const count = async (...records: DynamoDBRecord[]) => updateTotals(await countableChangesOf(records), now);

const setUp = async () => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const link = await storeLink(program, { affiliateId: affiliate.id });
  const referral = await storeReferral(program, { affiliateId: affiliate.id, affiliateLinkId: link.id });
  const credited = { referralId: referral.id, affiliateLinkId: link.id, createdAt: now.toISOString() };
  const sale = (overrides: Partial<StoredSale> = {}) => makeStoredSale(affiliate.id, { ...credited, ...overrides });
  const totals = async () => {
    const [found] = await withTotals(program.id, [affiliate]);
    const { totalRevenueMinor, totalCommissionEarnedMinor, totalCommissionPaidMinor, numberOfReferredUsers } =
      found ?? {};
    return { totalRevenueMinor, totalCommissionEarnedMinor, totalCommissionPaidMinor, numberOfReferredUsers };
  };
  const today = async () => (await salesByDay(program.id, lastDaysIn('UTC', 1, now)))[0];
  return { program, affiliate, link, referral, sale, totals, today };
};

const nothing = {
  totalRevenueMinor: 0,
  totalCommissionEarnedMinor: 0,
  totalCommissionPaidMinor: 0,
  numberOfReferredUsers: 0,
};

describe('a sale', () => {
  it('counts for its affiliate, referral, link and day', async () => {
    const { program, link, referral, sale, totals, today } = await setUp();
    await count(changeRecord(program, 'SALE', { after: sale() }));
    expect(await totals()).toEqual({ ...nothing, totalRevenueMinor: 10_000, totalCommissionEarnedMinor: 1000 });
    expect(await referrals.get(program.id, referral.id)).toMatchObject({
      totalRevenueMinor: 10_000,
      totalCommissionMinor: 1000,
    });
    expect(await links.get(program.id, link.id)).toMatchObject({ sales: 1, totalRevenueMinor: 10_000, referrals: 0 });
    expect(await today()).toEqual({
      day: '2026-03-01',
      count: 1,
      codeCount: 0,
      revenueMinor: 10_000n,
      commissionMinor: 1000n,
    });
  });

  it.each<{ is: string; change: Partial<StoredSale>; totals: object; day: object }>([
    {
      is: 'refunded in part',
      change: { refundedAmountMinor: 4000, commissionEarnedMinor: 600 },
      totals: { totalRevenueMinor: 6000, totalCommissionEarnedMinor: 600 },
      day: { count: 1, revenueMinor: 6000n, commissionMinor: 600n },
    },
    {
      is: 'refunded in full',
      change: { refundedAmountMinor: 10_000, commissionEarnedMinor: 0 },
      totals: { totalRevenueMinor: 0, totalCommissionEarnedMinor: 0 },
      day: { count: 1, revenueMinor: 0n, commissionMinor: 0n },
    },
    {
      is: 'paid',
      change: { paidAt: now.toISOString() },
      totals: { totalRevenueMinor: 10_000, totalCommissionEarnedMinor: 1000, totalCommissionPaidMinor: 1000 },
      day: { count: 1, revenueMinor: 10_000n },
    },
    {
      is: 'edited without its amounts',
      change: { name: 'Priya' },
      totals: { totalRevenueMinor: 10_000, totalCommissionEarnedMinor: 1000, totalCommissionPaidMinor: 0 },
      day: { count: 1 },
    },
  ])('that is $is counts as it is then', async ({ change, totals: expected, day }) => {
    const { program, sale, totals, today } = await setUp();
    const before = sale();
    await count(changeRecord(program, 'SALE', { after: before }));
    await count(changeRecord(program, 'SALE', { before, after: { ...before, ...change } }));
    expect(await totals()).toMatchObject(expected);
    expect(await today()).toMatchObject(day);
  });

  it('that is deleted counts no more, and its customer has not ordered', async () => {
    const { program, sale, totals, today } = await setUp();
    const made = sale({ email: 'priya@example.com' });
    await writeTogether([orderCount(program.id, 'priya@example.com', 1)]);
    await count(changeRecord(program, 'SALE', { after: made }));
    expect(await hasOrdered(program.id, 'priya@example.com')).toBe(true);
    await count(changeRecord(program, 'SALE', { before: made }));
    expect(await totals()).toEqual(nothing);
    expect(await today()).toMatchObject({ count: 0, revenueMinor: 0n });
    expect(await hasOrdered(program.id, 'priya@example.com')).toBe(false);
  });

  it('of nobody counts for its day alone', async () => {
    const { program, totals, today } = await setUp();
    const after = makeStoredSale('', { affiliateId: null, commissionEarnedMinor: 0, createdAt: now.toISOString() });
    await count(changeRecord(program, 'SALE', { after }));
    expect(await totals()).toEqual(nothing);
    expect(await today()).toMatchObject({ count: 1, revenueMinor: 10_000n, commissionMinor: 0n });
  });

  it('of sums beyond what a number keeps exactly is counted exactly', async () => {
    const { program, sale, totals } = await setUp();
    const large = () => changeRecord(program, 'SALE', { after: sale({ totalEarnedMinor: Number.MAX_SAFE_INTEGER }) });
    await count(large(), large(), large());
    expect((await totals()).totalRevenueMinor).toBe(3n * BigInt(Number.MAX_SAFE_INTEGER));
  });
});

describe('a referral and an adjustment', () => {
  it('count for their affiliate and link, and no more when they are deleted', async () => {
    const { program, affiliate, link, referral, totals } = await setUp();
    const owed = makeStoredAdjustment(affiliate.id, -300);
    const paid = { ...owed, paidAt: now.toISOString() };
    await count(
      changeRecord(program, 'REFERRAL', { after: referral }),
      changeRecord(program, 'ADJUSTMENT', { after: owed }),
    );
    expect(await totals()).toMatchObject({
      numberOfReferredUsers: 1,
      totalCommissionEarnedMinor: -300,
      totalCommissionPaidMinor: 0,
    });
    expect((await links.get(program.id, link.id))?.referrals).toBe(1);
    await count(changeRecord(program, 'ADJUSTMENT', { before: owed, after: paid }));
    expect(await totals()).toMatchObject({ totalCommissionEarnedMinor: -300, totalCommissionPaidMinor: -300 });
    await count(
      changeRecord(program, 'REFERRAL', { before: referral }),
      changeRecord(program, 'ADJUSTMENT', { before: paid }),
    );
    expect(await totals()).toEqual(nothing);
    expect((await links.get(program.id, link.id))?.referrals).toBe(0);
  });
});

/** A sale by a code of which neither the code nor its coupon has a cap. */
const redeem = async (program: TestProgram, overrides: Partial<z.input<typeof saleOperation.body>> = {}) => {
  const affiliate = await storeAffiliate(program);
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { affiliateId: affiliate.id });
  const sale = await createSale(
    program,
    bodyOf(saleOperation, { totalEarned: 100, promoCode: code.code, ...overrides }),
    now,
  );
  const redeemed = async () => ({
    code: (await promotionalCodes.get(program.id, code.id))?.timesRedeemed,
    coupon: (await coupons.get(program.id, coupon.id))?.timesRedeemed,
    isUncounted: await hasUncounted(program.id, coupon.id),
  });
  return { sale, redeemed };
};

describe('a redemption', () => {
  it('is marked as not counted until it counts for code and coupon, and stays when its sale is deleted', async () => {
    const program = newProgram();
    const { sale, redeemed } = await redeem(program);
    expect(await redeemed()).toEqual({ code: 0, coupon: 0, isUncounted: true });
    const made = changeRecord(program, 'SALE', { after: sale });
    await count(made);
    expect(await redeemed()).toEqual({ code: 1, coupon: 1, isUncounted: false });
    await count(made);
    await count(changeRecord(program, 'SALE', { before: sale, after: { ...sale, name: 'Priya' } as StoredSale }));
    await count(changeRecord(program, 'SALE', { before: sale }));
    expect(await redeemed()).toEqual({ code: 1, coupon: 1, isUncounted: false });
  });
});

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
