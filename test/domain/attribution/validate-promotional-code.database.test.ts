import { describe, expect, it } from 'vitest';
import { validatePromotionalCode as validation } from '../../../shared/contract/promotional-codes.ts';
import { validatePromotionalCode } from '../../../shared/domain/attribution/validate-promotional-code.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import { bodyOf, newProgram, now } from '../../support/domain.ts';
import { codeOf, flat, validate } from '../../support/purchases.ts';

describe('the discount that a validation tells', () => {
  it.each<{ coupon: Partial<StoredCoupon>; amount: number | undefined; discountAmount: number | null }>([
    { coupon: { percentOff: 20 }, amount: 10, discountAmount: 2 },
    { coupon: { percentOff: 50 }, amount: 0.05, discountAmount: 0.03 },
    { coupon: { percentOff: 33.3 }, amount: 0.01, discountAmount: 0 },
    { coupon: { percentOff: 100 }, amount: 10, discountAmount: 10 },
    { coupon: { percentOff: 20 }, amount: undefined, discountAmount: null },
    { coupon: flat, amount: 5.01, discountAmount: 5 },
    { coupon: flat, amount: 5, discountAmount: 5 },
    { coupon: flat, amount: 4.99, discountAmount: 4.99 },
    { coupon: flat, amount: undefined, discountAmount: null },
  ])('of $coupon on $amount is $discountAmount', async ({ coupon, amount, discountAmount }) => {
    const program = newProgram();
    const { code } = await codeOf(program, { coupon });
    const body = bodyOf(validation, { code, ...(amount !== undefined && { amount }) });
    const { discount } = await validatePromotionalCode(program, body, now);
    expect(discount?.discountAmount).toBe(discountAmount);
  });

  it('is none where the code cannot be redeemed', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { active: false } });
    expect((await validate(program, code)).discount).toBeNull();
  });

  it.each([
    { currency: 'USD', reason: null },
    { currency: 'EUR', reason: 'wrong_currency' },
  ])('is in the currency of the program: $currency', async ({ currency, reason }) => {
    const program = newProgram();
    const { code } = await codeOf(program, {});
    const body = bodyOf(validation, { code, amount: 10, currency });
    expect((await validatePromotionalCode(program, body, now)).reason).toBe(reason);
  });
});
