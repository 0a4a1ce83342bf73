import { describe, expect, it } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { hasOrdered, orderWrite } from '../../../shared/domain/attribution/customers.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { changeRecord } from '../../support/changes.ts';
import { newProgram, now } from '../../support/domain.ts';
import { makeStoredAdjustment, makeStoredSale } from '../../support/sales.ts';
import { count, redeem, setUp } from './counted-changes.ts';

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
      linkCount: 0,
      clicks: 0,
      referrals: 0,
      refundsMinor: 0n,
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
    await writeTogether([orderWrite(program.id, 'priya@example.com', now.toISOString())]);
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
