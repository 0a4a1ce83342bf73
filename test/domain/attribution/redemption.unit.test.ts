import { describe, expect, it } from 'vitest';
import type { RedemptionReason } from '../../../shared/contract/promotional-code-record.ts';
import {
  mayBeUsedUp,
  type Purchase,
  type ReadForRedemption,
  redemptionDeadline,
  redemptionSentences,
  refusalOf,
  retryRedemption,
  storedRedemption,
} from '../../../shared/domain/attribution/redemption.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import type { StoredPromotionalCode } from '../../../shared/domain/promotional-codes/rules.ts';
import { maxReadAgeMilliseconds } from '../../../shared/domain/uses/settle.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { makeStoredCode, makeStoredCoupon } from '../../support/stored-records.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();

const uses = { shards: [], allocated: 0 };
const read = (caps: {
  code?: number;
  coupon?: number;
  codeUses?: typeof uses;
  couponUses?: typeof uses;
}): ReadForRedemption => ({
  code: makeStoredCode({ maxRedemptions: caps.code ?? null }),
  coupon: makeStoredCoupon({ maxRedemptions: caps.coupon ?? null }),
  affiliateEmail: undefined,
  codeUses: caps.codeUses,
  couponUses: caps.couponUses,
  readAt: 1000,
});

describe('a redemption is refused', () => {
  const amara = 'amara@example.com';
  const good: Purchase = {
    amountMinor: 1000,
    currency: 'USD',
    programCurrency: 'USD',
    customerId: 'c1',
    email: amara,
    productIds: ['p1'],
    isFirstOrder: true,
  };
  const limited: Partial<StoredPromotionalCode> = {
    expiresAt: at(1),
    maxRedemptions: 2,
    timesRedeemed: 1,
    firstTimeOrder: true,
    minimumAmountMinor: 1000,
    minimumAmountCurrency: 'USD',
    limitToCustomers: true,
    customerId: 'c1',
    limitToAffiliate: true,
  };
  const limitedCoupon: Partial<StoredCoupon> = {
    redeemBy: at(1),
    maxRedemptions: 2,
    timesRedeemed: 1,
    couponType: 'FLAT',
    currency: 'USD',
    limitToProducts: true,
    productIds: ['p0', 'p1'],
  };

  interface Case {
    code?: Partial<StoredPromotionalCode>;
    coupon?: Partial<StoredCoupon>;
    purchase?: Partial<Purchase>;
    affiliateEmail?: string;
    reason: RedemptionReason | undefined;
  }
  const cases: Case[] = [
    { reason: undefined },
    { code: { active: false }, reason: 'code_inactive' },
    { code: { expiresAt: at(0) }, reason: 'code_expired' },
    { coupon: { enabled: false }, reason: 'coupon_invalid' },
    { coupon: { redeemBy: at(0) }, reason: 'coupon_expired' },
    { code: { timesRedeemed: 2 }, reason: 'code_limit_reached' },
    { code: { timesRedeemed: 2, maxRedemptions: null }, reason: undefined },
    { coupon: { timesRedeemed: 3 }, reason: 'coupon_limit_reached' },
    { coupon: { timesRedeemed: 3, maxRedemptions: null }, reason: undefined },
    { purchase: { email: undefined, customerId: undefined }, reason: 'customer_required' },
    { purchase: { isFirstOrder: false }, reason: 'first_order_only' },
    { code: { firstTimeOrder: false }, purchase: { isFirstOrder: false }, reason: undefined },
    { code: { minimumAmountCurrency: 'EUR' }, reason: 'wrong_currency' },
    { code: { minimumAmountMinor: null, minimumAmountCurrency: 'EUR' }, reason: undefined },
    { coupon: { currency: 'EUR' }, reason: 'wrong_currency' },
    { coupon: { couponType: 'PERCENTAGE', currency: 'EUR' }, reason: undefined },
    { purchase: { currency: 'EUR' }, reason: 'wrong_currency' },
    { purchase: { amountMinor: 999 }, reason: 'below_minimum_amount' },
    { purchase: { amountMinor: undefined }, reason: 'below_minimum_amount' },
    { code: { minimumAmountMinor: null }, purchase: { amountMinor: undefined }, reason: undefined },
    { purchase: { customerId: 'c2' }, reason: 'wrong_customer' },
    { code: { limitToCustomers: false }, purchase: { customerId: 'c2' }, reason: 'wrong_customer' },
    { code: { limitToCustomers: false, customerId: null }, purchase: { customerId: 'c2' }, reason: undefined },
    { purchase: { email: 'other@example.com' }, reason: 'wrong_affiliate' },
    { affiliateEmail: '', purchase: { email: '' }, reason: 'wrong_affiliate' },
    { code: { limitToAffiliate: false }, purchase: { email: 'other@example.com' }, reason: undefined },
    { purchase: { productIds: [] }, reason: 'wrong_product' },
    { purchase: { productIds: ['p2', 'p0'] }, reason: undefined },
    { coupon: { limitToProducts: false }, purchase: { productIds: [] }, reason: undefined },
  ];
  it.each([...Map.groupBy(cases, ({ reason }) => reason)])('for the first reason that holds: %s', (_, ofReason) => {
    for (const { code, coupon, purchase, affiliateEmail = amara, reason } of ofReason) {
      const redeemable = {
        code: makeStoredCode({ ...limited, ...code }),
        coupon: makeStoredCoupon({ ...limitedCoupon, ...coupon }),
        affiliateEmail,
      };
      expect(refusalOf(redeemable, { ...good, ...purchase }, now)).toBe(reason);
    }
  });

  it('with a sentence that belongs to its reason alone', () => {
    const sentences = Object.values(redemptionSentences);
    expect(new Set(sentences).size).toBe(14);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{20}/);
  });
});

describe('a redemption whose uses were not read', () => {
  it.each([
    { caps: {}, isPossible: false },
    { caps: { code: 5 }, isPossible: true },
    { caps: { code: 5, codeUses: uses }, isPossible: false },
    { caps: { coupon: 5 }, isPossible: true },
    { caps: { coupon: 5, couponUses: uses }, isPossible: false },
    { caps: { code: 5, codeUses: uses, coupon: 5 }, isPossible: true },
    { caps: { code: 5, codeUses: uses, coupon: 5, couponUses: uses }, isPossible: false },
  ])('may have a used-up cap as its earlier reason: $caps', ({ caps, isPossible }) =>
    expect(mayBeUsedUp(read(caps))).toBe(isPossible),
  );

  it('is tried first without them, and after a conflict with them', async () => {
    const tried: boolean[] = [];
    const result = await retryRedemption(async (isExact) => {
      tried.push(isExact);
      if (tried.length < 3) throw new ConcurrentModificationError('Another redemption was first');
      return 'redeemed';
    });
    expect({ result, tried }).toEqual({ result: 'redeemed', tried: [false, true, true] });
  });
});

describe('a redemption that a cap does not count', () => {
  it.each([
    { caps: {}, isUncounted: true },
    { caps: { code: 5 }, isUncounted: true },
    { caps: { coupon: 5 }, isUncounted: true },
    { caps: { code: 5, coupon: 5 }, isUncounted: false },
  ])('is written soon after the code was read, since a first cap may follow: $caps', ({ caps, isUncounted }) => {
    const deadline = redemptionDeadline(read(caps));
    expect(deadline?.at).toBe(isUncounted ? 1000 + maxReadAgeMilliseconds : undefined);
    if (isUncounted) expect(deadline?.refusal()).toBeInstanceOf(ConcurrentModificationError);
    expect(storedRedemption(read(caps))).toEqual({
      couponId: makeStoredCoupon().id,
      fromCodeCap: caps.code !== undefined,
      fromCouponCap: caps.coupon !== undefined,
    });
  });

  it('has no deadline where no code is redeemed', () => expect(redemptionDeadline(undefined)).toBeUndefined());
});
