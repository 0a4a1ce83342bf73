import { describe, expect, it } from 'vitest';
import {
  automaticSince,
  bareCouponResponse,
  isRedeemable,
  type StoredCoupon,
} from '../../../shared/domain/coupons/rules.ts';
import { makeStoredCoupon } from '../../support/stored-records.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (milliseconds: number): string => new Date(now.getTime() + milliseconds).toISOString();

describe('a coupon', () => {
  it.each<{ coupon: Partial<StoredCoupon>; redeemable: boolean }>([
    { coupon: {}, redeemable: true },
    { coupon: { enabled: false }, redeemable: false },
    { coupon: { redeemBy: at(1) }, redeemable: true },
    { coupon: { redeemBy: at(0) }, redeemable: false },
    { coupon: { redeemBy: at(-1) }, redeemable: false },
    { coupon: { maxRedemptions: 2, timesRedeemed: 1 }, redeemable: true },
    { coupon: { maxRedemptions: 2, timesRedeemed: 2 }, redeemable: false },
    { coupon: { maxRedemptions: 2, timesRedeemed: 3 }, redeemable: false },
    { coupon: { timesRedeemed: 1_000_000 }, redeemable: true },
    { coupon: { enabled: false, redeemBy: at(1), maxRedemptions: 2 }, redeemable: false },
    { coupon: { redeemBy: at(-1), maxRedemptions: 2 }, redeemable: false },
  ])('with $coupon is redeemable: $redeemable', ({ coupon, redeemable }) => {
    const stored = makeStoredCoupon(coupon);
    expect(isRedeemable(stored, now)).toBe(redeemable);
    expect(bareCouponResponse(stored, 'program', now)).toEqual({
      ...stored,
      amountOff: null,
      valid: redeemable,
      affiliateProgramId: 'program',
    });
  });

  it.each([
    [500, 'USD', 5],
    [500, 'JPY', 500],
    [500, null, 5],
    [0, 'USD', 0],
  ])('that takes %i off in %s returns %d', (amountOffMinor, currency, amountOff) =>
    expect(bareCouponResponse(makeStoredCoupon({ amountOffMinor, currency }), 'program', now)).toMatchObject({
      amountOff,
    }),
  );
});

describe('automatic codes', () => {
  it.each([
    [{ enabled: true }, null, at(0)],
    [{ enabled: true }, at(-5), at(-5)],
    [{ enabled: false }, at(-5), null],
    [null, at(-5), null],
    [undefined, null, null],
  ])('by the rule %j, before %s, are made since %s', (rule, before, since) =>
    expect(automaticSince(rule, before, now)).toBe(since),
  );
});
