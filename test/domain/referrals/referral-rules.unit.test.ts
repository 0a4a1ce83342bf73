import { expect, it } from 'vitest';
import { referralResponse, StoredReferral } from '../../../shared/domain/referrals/rules.ts';
import { makeStoredReferral } from '../../support/stored-records.ts';

it.each([
  { currency: 'USD', totalRevenue: 1250.01, totalCommission: 10 },
  { currency: 'JPY', totalRevenue: 125_001, totalCommission: 1000 },
])('a referral has its totals in $currency', ({ currency, ...totals }) => {
  const referral = makeStoredReferral({ totalRevenueMinor: 125_001, totalCommissionMinor: 1000 });
  expect(referralResponse(referral, { id: 'p', currency })).toEqual({
    ...referral,
    affiliateProgramId: 'p',
    ...totals,
  });
});

it('a referral is read as it was stored, one from before redemptions were kept too', () => {
  const stored = makeStoredReferral({
    referralMedium: 'COUPON',
    redemption: { couponId: 'c', fromCodeCap: true, fromCouponCap: false },
    metadata: { plan: 'pro', seats: 3, isYearly: true },
  });
  expect(StoredReferral.parse(stored)).toEqual(stored);
  const { redemption: _redemption, ...before } = stored;
  expect(StoredReferral.parse(before).redemption).toBeNull();
  for (const wrong of [{ email: 1 }, { referralMedium: 'EMAIL' }, { source: 'IMPORT' }, { metadata: { a: [] } }])
    expect(StoredReferral.safeParse({ ...stored, ...wrong }).success).toBe(false);
});
