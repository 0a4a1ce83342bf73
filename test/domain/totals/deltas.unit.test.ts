import { describe, expect, it } from 'vitest';
import type { StoredReferral } from '../../../shared/domain/referrals/rules.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { type Delta, deltasOf, summed, uncountedIn } from '../../../shared/domain/totals/deltas.ts';
import { makeStoredAdjustment, makeStoredSale } from '../../support/sales.ts';
import { makeStoredReferral } from '../../support/stored-records.ts';

const change = (kind: string, before: object | undefined, after: object | undefined) => ({
  programId: 'program',
  kind,
  recordId: 'record',
  before: before && { ...before },
  after: after && { ...after },
  noticedAt: new Date(0),
});

/** What a change counts, by record: `AFFILIATE a: totalRevenueMinor 5`. */
const counted = (kind: string, before: object | undefined, after: object | undefined): string[] =>
  deltasOf(change(kind, before, after))
    .map(({ kind: record, id, amounts }: Delta) => {
      const parts = Object.entries(amounts).map(([name, amount]) => `${name} ${amount}`);
      return `${record} ${id}: ${parts.join(', ')}`;
    })
    .sort();

const moment = '2026-03-01T23:59:59.999Z';
const saleOf = (overrides: Partial<StoredSale> = {}) =>
  makeStoredSale('a', { id: '0000000000004096', createdAt: moment, ...overrides });
const redemption = (fromCodeCap: boolean, fromCouponCap: boolean) => ({
  promotionalCodeId: 'p',
  redemption: { couponId: 'c', fromCodeCap, fromCouponCap },
});

describe('a sale', () => {
  it('counts on its day, affiliate, referral and link', () => {
    const sale = saleOf({ referralId: 'r', affiliateLinkId: 'l' });
    expect(counted('SALE', undefined, sale)).toEqual([
      'AFFILIATE a: totalRevenueMinor 10000, totalCommissionEarnedMinor 1000',
      'DAY 2026-03-01: sales 1, revenueMinor 10000, commissionMinor 1000',
      'LINK l: sales 1, totalRevenueMinor 10000',
      'REFERRAL r: totalRevenueMinor 10000, totalCommissionMinor 1000',
      'SUMS AFFILIATE 2026-03-01 a: sales 1, revenueMinor 10000, commissionMinor 1000',
      'SUMS LINK 2026-03-01 l: sales 1, revenueMinor 10000, commissionMinor 1000',
      'SUMS ONE_AFFILIATE 2026-03-01 a: sales 1, revenueMinor 10000, commissionMinor 1000',
      'SUMS ONE_LINK 2026-03-01 l: sales 1, revenueMinor 10000, commissionMinor 1000',
    ]);
  });

  it('counts for the tiers of its affiliate once it says when its commission can be paid', () => {
    const [before, after] = [saleOf(), saleOf({ payableAt: moment })];
    expect(counted('SALE', before, after)).toEqual(['AFFILIATE a: numberOfSales 1']);
    expect(counted('SALE', undefined, after)[0]).toMatch(/^AFFILIATE a: numberOfSales 1, /);
    expect(counted('SALE', after, undefined)[0]).toMatch(/^AFFILIATE a: numberOfSales -1, /);
  });

  it('of a customer who came by a link counts as one for the days of its program and affiliate, also once the link is deleted', () => {
    const linkId = '01a209a6-da44-75d3-a139-4ca4b74280d6';
    const attribution = { via: 'CUSTOMER', affiliateLinkId: linkId, promotionalCodeId: null, clickedAt: null } as const;
    const before = saleOf({ affiliateLinkId: linkId, attribution });
    const ofLinks = (sale: StoredSale) => counted('SALE', undefined, sale).filter((one) => one.includes('linkSales'));
    expect(ofLinks(before)).toEqual([
      'DAY 2026-03-01: sales 1, revenueMinor 10000, commissionMinor 1000, linkSales 1',
      'SUMS ONE_AFFILIATE 2026-03-01 a: sales 1, revenueMinor 10000, commissionMinor 1000, linkSales 1',
    ]);
    expect(counted('SALE', before, { ...before, affiliateLinkId: null }).join()).not.toContain('linkSales');
    expect(ofLinks(saleOf({ attribution: { ...attribution, via: 'MANUAL', affiliateLinkId: null } }))).toEqual([]);
  });

  it('that is held counts as any other, and loses its commission alone, everywhere, when it is rejected', () => {
    const [free, held] = [saleOf(), saleOf({ reviewStatus: 'HELD', reviewReasons: ['BURST'] })];
    expect(counted('SALE', undefined, held)).toEqual(counted('SALE', undefined, free));
    expect(counted('SALE', held, { ...held, reviewStatus: 'APPROVED' })).toEqual([]);
    const rejected = { ...held, reviewStatus: 'REJECTED' as const, commissionEarnedMinor: 0 };
    expect(counted('SALE', held, rejected)).toEqual([
      'AFFILIATE a: totalCommissionEarnedMinor -1000',
      'DAY 2026-03-01: commissionMinor -1000',
      'SUMS AFFILIATE 2026-03-01 a: commissionMinor -1000',
      'SUMS ONE_AFFILIATE 2026-03-01 a: commissionMinor -1000',
    ]);
  });

  it('of nobody counts on its day alone', () => {
    const sale = saleOf({ affiliateId: null, commissionEarnedMinor: 0 });
    expect(counted('SALE', undefined, sale)).toEqual(['DAY 2026-03-01: sales 1, revenueMinor 10000']);
  });

  it('that is refunded takes back its part', () => {
    const refunded = { refundedAmountMinor: 4000, commissionEarnedMinor: 600 };
    expect(counted('SALE', saleOf(), saleOf(refunded))).toEqual([
      'AFFILIATE a: totalRevenueMinor -4000, totalCommissionEarnedMinor -400',
      'DAY 2026-03-01: revenueMinor -4000, refundsMinor 4000, commissionMinor -400',
      'SUMS AFFILIATE 2026-03-01 a: revenueMinor -4000, refundsMinor 4000, commissionMinor -400',
      'SUMS ONE_AFFILIATE 2026-03-01 a: revenueMinor -4000, refundsMinor 4000, commissionMinor -400',
    ]);
  });

  it('that is paid counts as paid, and a change of no amount counts nothing', () => {
    expect(counted('SALE', saleOf(), saleOf({ paidAt: moment }))).toEqual([
      'AFFILIATE a: totalCommissionPaidMinor 1000',
    ]);
    expect(counted('SALE', saleOf(), saleOf({ name: 'Priya' }))).toEqual([]);
  });

  it('of a customer that is edited takes back no order', () => {
    const sale = saleOf({ ...redemption(false, false), customerId: 'Priya' });
    expect(counted('SALE', sale, { ...sale, name: 'Priya Sharma' })).toEqual([]);
  });

  it('that is deleted takes back all but its redemption, and an order of its customer', () => {
    const sale = saleOf({ ...redemption(false, false), customerId: 'Priya' });
    const [affiliate, customer, day, ...others] = counted('SALE', sale, undefined);
    expect([affiliate, day, ...others]).toEqual([
      'AFFILIATE a: totalRevenueMinor -10000, totalCommissionEarnedMinor -1000',
      'DAY 2026-03-01: sales -1, revenueMinor -10000, commissionMinor -1000, codeSales -1',
      'SUMS AFFILIATE 2026-03-01 a: sales -1, revenueMinor -10000, commissionMinor -1000',
      'SUMS ONE_AFFILIATE 2026-03-01 a: sales -1, revenueMinor -10000, commissionMinor -1000',
    ]);
    expect(customer).toMatch(/^CUSTOMER .+: orders -1$/);
    expect(counted('SALE', saleOf({ affiliateId: null, commissionEarnedMinor: 0 }), undefined)).toEqual([
      'DAY 2026-03-01: sales -1, revenueMinor -10000',
    ]);
  });
});

describe('a redemption', () => {
  const code = 'PROMOTIONAL_CODE p: timesRedeemed 1';
  const coupon = 'COUPON c: timesRedeemed 1';
  it.each([
    { fromCodeCap: true, fromCouponCap: true, counts: [coupon, code], isMarked: false },
    { fromCodeCap: true, fromCouponCap: false, counts: [`${coupon}, uncappedUses 1`, code], isMarked: true },
    { fromCodeCap: false, fromCouponCap: true, counts: [coupon, `${code}, uncappedUses 1`], isMarked: true },
    {
      fromCodeCap: false,
      fromCouponCap: false,
      counts: [`${coupon}, uncappedUses 1`, `${code}, uncappedUses 1`],
      isMarked: true,
    },
  ])(
    'from a cap of the code $fromCodeCap, of the coupon $fromCouponCap',
    ({ fromCodeCap, fromCouponCap, ...expected }) => {
      const redeemed = redemption(fromCodeCap, fromCouponCap);
      const sale = saleOf(redeemed);
      const referral = makeStoredReferral(redeemed);
      const redemptionsOf = (lines: string[]) => lines.filter((line) => /^(COUPON|PROMOTIONAL_CODE) /.test(line));
      expect(redemptionsOf(counted('SALE', undefined, sale))).toEqual(expected.counts);
      expect(redemptionsOf(counted('SALE', sale, { ...sale, name: 'Priya' }))).toEqual([]);
      expect(redemptionsOf(counted('REFERRAL', undefined, referral))).toEqual(expected.counts);
      expect(redemptionsOf(counted('REFERRAL', referral, { ...referral, name: 'Priya' }))).toEqual([]);
      const mark = (recordId: string) => (expected.isMarked ? { couponId: 'c', codeId: 'p', recordId } : undefined);
      expect(uncountedIn(change('SALE', undefined, sale))).toEqual(mark(sale.id));
      expect(uncountedIn(change('REFERRAL', undefined, referral))).toEqual(mark(referral.id));
    },
  );

  it('is in no change, no deletion, no other record, and not without a code', () => {
    const redeemed = saleOf(redemption(false, false));
    for (const one of [
      change('SALE', redeemed, redeemed),
      change('SALE', redeemed, undefined),
      change('AFFILIATE', undefined, redeemed),
      change('SALE', undefined, saleOf()),
      change('SALE', undefined, saleOf({ promotionalCodeId: 'p' })),
      change('SALE', undefined, saleOf({ redemption: redemption(false, false).redemption })),
    ])
      expect(uncountedIn(one)).toBeUndefined();
    expect(counted('SALE', undefined, saleOf({ promotionalCodeId: 'p' })).length).toBe(4);
    expect(counted('SALE', undefined, saleOf({ redemption: redemption(false, false).redemption })).length).toBe(4);
  });
});

describe('a referral', () => {
  const referralOf = (overrides: Partial<StoredReferral>) => makeStoredReferral(overrides);

  it.each<{ owners: Partial<StoredReferral>; lines: string[] }>([
    { owners: {}, lines: ['DAY 2026-01-01: referrals 1'] },
    {
      owners: { affiliateId: 'a' },
      lines: [
        'AFFILIATE a: numberOfReferredUsers 1',
        'DAY 2026-01-01: referrals 1',
        'SUMS AFFILIATE 2026-01-01 a: referrals 1',
        'SUMS ONE_AFFILIATE 2026-01-01 a: referrals 1',
      ],
    },
    {
      owners: { affiliateId: 'a', affiliateLinkId: 'l' },
      lines: [
        'AFFILIATE a: numberOfReferredUsers 1',
        'DAY 2026-01-01: referrals 1',
        'LINK l: referrals 1',
        'SUMS AFFILIATE 2026-01-01 a: referrals 1',
        'SUMS ONE_AFFILIATE 2026-01-01 a: referrals 1',
        'SUMS LINK 2026-01-01 l: referrals 1',
        'SUMS ONE_LINK 2026-01-01 l: referrals 1',
      ],
    },
  ])('of $owners counts on them, and not when it is deleted', ({ owners, lines }) => {
    const referral = referralOf(owners);
    expect(counted('REFERRAL', undefined, referral)).toEqual(lines.toSorted());
    expect(counted('REFERRAL', referral, referral)).toEqual([]);
    expect(counted('REFERRAL', referral, undefined)).toEqual(lines.map((line) => line.replace(/1$/, '-1')).sort());
  });
});

describe('an adjustment', () => {
  const adjustment = makeStoredAdjustment('a', -400);
  const paid = { ...adjustment, paidAt: moment };

  it('counts as earned, and as paid once it is', () => {
    expect(counted('ADJUSTMENT', undefined, adjustment)).toEqual(['AFFILIATE a: totalCommissionEarnedMinor -400']);
    expect(counted('ADJUSTMENT', adjustment, paid)).toEqual(['AFFILIATE a: totalCommissionPaidMinor -400']);
    expect(counted('ADJUSTMENT', paid, undefined)).toEqual([
      'AFFILIATE a: totalCommissionEarnedMinor 400, totalCommissionPaidMinor 400',
    ]);
  });
});

it('other records count nothing', () => expect(deltasOf(change('AFFILIATE', undefined, saleOf()))).toEqual([]));

it('amounts of the same record are added, and what comes to nothing is left out', () => {
  const of = (kind: Delta['kind'], id: string, amounts: Record<string, bigint>): Delta => ({ kind, id, amounts });
  expect(
    summed([
      of('LINK', 'l', { sales: 1n, referrals: 1n }),
      of('LINK', 'm', { sales: 1n }),
      of('LINK', 'l', { sales: 2n, referrals: -1n }),
      of('AFFILIATE', 'l', { sales: 1n }),
      of('LINK', 'm', { sales: -1n }),
    ]),
  ).toEqual([of('LINK', 'l', { sales: 3n }), of('AFFILIATE', 'l', { sales: 1n })]);
});
