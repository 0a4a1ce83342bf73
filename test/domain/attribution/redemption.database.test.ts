import { describe, expect, it } from 'vitest';
import type { RedemptionReason } from '../../../shared/contract/promotional-code-record.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import type { StoredPromotionalCode } from '../../../shared/domain/promotional-codes/rules.ts';
import { at, newProgram, outcomeOf, storeAffiliate, storeCode, storeCoupon } from '../../support/domain.ts';
import {
  affiliateEmail,
  codeOf,
  flat,
  minimum,
  products,
  type RedemptionCase,
  refusedFor,
  sell,
  validate,
} from '../../support/purchases.ts';

/** A sale and a validation must say the same of a code. */
const expectReason = async ({ reason, purchase, ...terms }: RedemptionCase): Promise<void> => {
  const program = newProgram();
  const { code } = await codeOf(program, terms);
  const validated = await validate(program, code, purchase);
  expect({ valid: validated.valid, reason: validated.reason }).toEqual({ valid: reason === null, reason });
  const outcome = await outcomeOf(() => sell(program, code, purchase));
  expect(outcome).toEqual(reason === null ? 'accepted' : refusedFor(reason));
};

describe('before all other reasons', () => {
  it('a code that does not exist, or that differs in a letter’s case, is the first', async () => {
    const program = newProgram();
    await codeOf(program, { code: { code: 'SPRING' } });
    expect(await outcomeOf(() => sell(program, 'spring'))).toEqual(refusedFor('code_not_found'));
    expect(await validate(program, 'spring')).toMatchObject({ valid: false, reason: 'code_not_found' });
  });

  it('an affiliate that is not active comes before the terms', async () => {
    const program = newProgram();
    const { id } = await storeAffiliate(program, { status: 'BANNED' });
    const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: id, active: false });
    expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('affiliate_not_active'));
    expect(await validate(program, code)).toMatchObject({ valid: false, reason: 'affiliate_not_active' });
  });

  it('a code whose coupon was deleted is not valid', async () => {
    const program = newProgram();
    const { code } = await storeCode(program, { id: '019a0000-0000-7000-8000-00000000dead' });
    expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('coupon_invalid'));
    expect(await validate(program, code)).toMatchObject({ valid: false, reason: 'coupon_invalid' });
  });
});

describe('a code that', () => {
  it.each<RedemptionCase & { is: string }>([
    { is: 'active', code: { active: true }, reason: null },
    { is: 'not active', code: { active: false }, reason: 'code_inactive' },
    { is: 'without an expiry', code: { expiresAt: null }, reason: null },
    { is: 'valid for a millisecond more', code: { expiresAt: at(1) }, reason: null },
    { is: 'expiring at this moment', code: { expiresAt: at(0) }, reason: 'code_expired' },
    { is: 'expired for a millisecond', code: { expiresAt: at(-1) }, reason: 'code_expired' },
    { is: 'of a disabled coupon', coupon: { enabled: false }, reason: 'coupon_invalid' },
    { is: 'of a coupon valid for a millisecond more', coupon: { redeemBy: at(1) }, reason: null },
    { is: 'of a coupon that expires at this moment', coupon: { redeemBy: at(0) }, reason: 'coupon_expired' },
    { is: 'of a coupon that expired', coupon: { redeemBy: at(-1) }, reason: 'coupon_expired' },
    {
      is: 'for first orders, on one',
      code: { firstTimeOrder: true },
      purchase: { email: 'priya@example.com' },
      reason: null,
    },
    {
      is: 'for first orders, of a customer known by customerId',
      code: { firstTimeOrder: true },
      purchase: { customerId: 'c1' },
      reason: null,
    },
    { is: 'for first orders, of nobody', code: { firstTimeOrder: true }, reason: 'customer_required' },
    {
      is: 'for first orders, on one that says so',
      code: { firstTimeOrder: true },
      purchase: { firstOrder: true, customerId: 'c1' },
      reason: null,
    },
    {
      is: 'for first orders, on one that says it is none',
      code: { firstTimeOrder: true },
      purchase: { firstOrder: false, customerId: 'c1' },
      reason: 'first_order_only',
    },
    { is: 'for any order, on one that is not the first', purchase: { firstOrder: false }, reason: null },
    { is: 'a cent below its minimum', code: minimum, purchase: { amount: 9.99 }, reason: 'below_minimum_amount' },
    { is: 'exactly at its minimum', code: minimum, purchase: { amount: 10 }, reason: null },
    { is: 'rounded up to its minimum', code: minimum, purchase: { amount: 9.995 }, reason: null },
    { is: 'above its minimum', code: minimum, purchase: { amount: 10.01 }, reason: null },
    {
      is: 'with a minimum in another currency, however high',
      code: { minimumAmountMinor: 1_000_000, minimumAmountCurrency: 'EUR' },
      reason: 'wrong_currency',
    },
    { is: 'of a flat coupon in the currency of the program', coupon: flat, reason: null },
    { is: 'of a flat coupon in another currency', coupon: { ...flat, currency: 'EUR' }, reason: 'wrong_currency' },
    { is: 'of a percentage coupon with another currency', coupon: { currency: 'EUR' }, reason: null },
    {
      is: 'for a customer, bought by that one',
      code: { customerId: 'c1' },
      purchase: { customerId: 'c1' },
      reason: null,
    },
    {
      is: 'for a customer, bought by another one',
      code: { customerId: 'c1' },
      purchase: { customerId: 'c2' },
      reason: 'wrong_customer',
    },
    { is: 'for a customer, bought by nobody', code: { customerId: 'c1' }, reason: 'wrong_customer' },
    {
      is: 'limited to a customer, bought by that one',
      code: { limitToCustomers: true, customerId: 'c1' },
      purchase: { customerId: 'c1' },
      reason: null,
    },
    {
      is: 'limited to customers that it does not name',
      code: { limitToCustomers: true },
      purchase: { customerId: 'c1' },
      reason: 'wrong_customer',
    },
    { is: 'for any customer, bought by one', purchase: { customerId: 'c1' }, reason: null },
    {
      is: 'limited to its affiliate, bought by it',
      code: { limitToAffiliate: true },
      purchase: { email: affiliateEmail },
      reason: null,
    },
    {
      is: 'limited to its affiliate, bought by another one',
      code: { limitToAffiliate: true },
      purchase: { email: 'other@example.com' },
      reason: 'wrong_affiliate',
    },
    { is: 'limited to its affiliate, bought by nobody', code: { limitToAffiliate: true }, reason: 'wrong_affiliate' },
    {
      is: 'limited to an affiliate that it does not have',
      code: { limitToAffiliate: true, affiliateId: null },
      purchase: { email: affiliateEmail },
      reason: 'wrong_affiliate',
    },
    { is: 'for products, on the first', coupon: products, purchase: { productId: 'p1' }, reason: null },
    { is: 'for products, on the last', coupon: products, purchase: { productId: 'p2' }, reason: null },
    { is: 'for products, on another', coupon: products, purchase: { productId: 'p3' }, reason: 'wrong_product' },
    { is: 'for products, on none', coupon: products, reason: 'wrong_product' },
    {
      is: 'for any product, with a list',
      coupon: { ...products, limitToProducts: false },
      purchase: { productId: 'p3' },
      reason: null,
    },
  ])('is $is: $reason', expectReason);
});

describe('of several reasons', () => {
  const used = { timesRedeemed: 5, maxRedemptions: 5, uncappedUses: 5 };
  // Each row fails its own check and all below it.
  const failures: {
    reason: RedemptionReason;
    code?: Partial<StoredPromotionalCode>;
    coupon?: Partial<StoredCoupon>;
  }[] = [
    { reason: 'code_inactive', code: { active: false } },
    { reason: 'code_expired', code: { expiresAt: at(-1) } },
    { reason: 'coupon_invalid', coupon: { enabled: false } },
    { reason: 'coupon_expired', coupon: { redeemBy: at(-1) } },
    { reason: 'code_limit_reached', code: used },
    { reason: 'coupon_limit_reached', coupon: used },
    { reason: 'customer_required', code: { firstTimeOrder: true } },
    { reason: 'first_order_only', code: { firstTimeOrder: true } },
    { reason: 'wrong_currency', coupon: { ...flat, currency: 'EUR' } },
    { reason: 'below_minimum_amount', code: { minimumAmountMinor: 20_000, minimumAmountCurrency: 'USD' } },
    { reason: 'wrong_customer', code: { customerId: 'c1' } },
    { reason: 'wrong_affiliate', code: { limitToAffiliate: true } },
    { reason: 'wrong_product', coupon: products },
  ];
  it.each(failures.map(({ reason }, at) => ({ reason, failing: failures.slice(at) })))(
    'the first is told: $reason',
    async ({ reason, failing }) => {
      await expectReason({
        code: Object.assign({}, ...failing.map(({ code }) => code)),
        coupon: Object.assign({}, ...failing.map(({ coupon }) => coupon)),
        purchase: { firstOrder: false, ...(reason !== 'customer_required' && { customerId: 'c2' }) },
        reason,
      });
    },
  );
});
