import { describe, expect, it } from 'vitest';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { at, bodyOf, newProgram, now, outcomeOf, type TestProgram } from '../../support/domain.ts';
import { codeOf, flat, products, type RedemptionCase, refusedFor, sell } from '../../support/purchases.ts';

describe('a referral by a code', () => {
  const refer = (program: TestProgram, promoCode: string, email = 'priya@example.com') =>
    createReferral(program, bodyOf(referralOperation, { name: 'Priya Sharma', email, promoCode }), now);

  it.each<Omit<RedemptionCase, 'purchase'>>([
    { reason: null },
    { code: { active: false }, reason: 'code_inactive' },
    { code: { expiresAt: at(0) }, reason: 'code_expired' },
    { code: { expiresAt: at(1) }, reason: null },
    { coupon: { enabled: false }, reason: 'coupon_invalid' },
    { coupon: { redeemBy: at(0) }, reason: 'coupon_expired' },
    { code: { firstTimeOrder: true }, reason: null },
    { code: { minimumAmountMinor: 1, minimumAmountCurrency: 'USD' }, reason: 'below_minimum_amount' },
    { coupon: { ...flat, currency: 'EUR' }, reason: 'wrong_currency' },
    { coupon: flat, reason: null },
    { code: { customerId: 'c1' }, reason: 'wrong_customer' },
    { code: { limitToAffiliate: true }, reason: 'wrong_affiliate' },
    { coupon: products, reason: 'wrong_product' },
  ])('with $code and $coupon: $reason', async ({ reason, ...terms }) => {
    const program = newProgram();
    const code = await codeOf(program, terms);
    const outcome = await outcomeOf(() => refer(program, code.code));
    expect(outcome).toEqual(reason === null ? 'accepted' : refusedFor(reason));
  });

  it('is credited to the affiliate of the code, and remembers it', async () => {
    const program = newProgram();
    const code = await codeOf(program, {});
    expect(await refer(program, code.code)).toMatchObject({
      affiliateId: code.affiliateId,
      promotionalCodeId: code.id,
      referralMedium: 'COUPON',
      redemption: { couponId: code.couponId, fromCodeCap: false, fromCouponCap: false },
    });
  });

  it('takes a use of the cap, like a sale', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { maxRedemptions: 2 } });
    await refer(program, code, 'one@example.com');
    await sell(program, code);
    expect(await outcomeOf(() => refer(program, code, 'two@example.com'))).toEqual(refusedFor('code_limit_reached'));
    expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('code_limit_reached'));
  });

  it('of a customer who has ordered is refused where the code is for first orders', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    await sell(program, code, { email: 'priya@example.com' });
    expect(await outcomeOf(() => refer(program, code))).toEqual(refusedFor('first_order_only'));
  });
});
