import { describe, expect, it } from 'vitest';
import type { RedemptionReason } from '../../../shared/contract/promotional-code-record.ts';
import { validatePromotionalCode as validation } from '../../../shared/contract/promotional-codes.ts';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { validatePromotionalCode } from '../../../shared/domain/attribution/validate-promotional-code.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import type { StoredPromotionalCode } from '../../../shared/domain/promotional-codes/rules.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
  type TestProgram,
} from '../../support/domain.ts';

/** What both a sale and a validation say of a purchase. */
interface Purchase {
  amount?: number;
  email?: string;
  customerId?: string;
  firstOrder?: boolean;
  productId?: string;
}

interface Case {
  code?: Partial<StoredPromotionalCode>;
  coupon?: Partial<StoredCoupon>;
  purchase?: Purchase;
  reason: RedemptionReason | null;
}

const affiliateEmail = 'amara@example.com';

/** A code of an affiliate. */
const codeOf = async (program: TestProgram, { code = {}, coupon = {} }: Pick<Case, 'code' | 'coupon'>) => {
  const affiliate = await storeAffiliate(program, { email: affiliateEmail });
  return storeCode(program, await storeCoupon(program, coupon), { affiliateId: affiliate.id, ...code });
};

const sell = (program: TestProgram, promoCode: string, { amount = 100, productId, ...purchase }: Purchase = {}) =>
  createSale(
    program,
    bodyOf(saleOperation, {
      totalEarned: amount,
      promoCode,
      ...(productId && { product: { productId } }),
      ...purchase,
    }),
    now,
  );

const validate = (program: TestProgram, code: string, { amount = 100, productId, ...purchase }: Purchase = {}) =>
  validatePromotionalCode(
    program,
    bodyOf(validation, { code, amount, ...(productId && { productIds: [productId] }), ...purchase }),
    now,
  );

const refusedFor = (code: RedemptionReason | 'affiliate_not_active') => ({ status: 400, path: 'promoCode', code });

/** A sale and a validation must say the same of a code. */
const expectReason = async ({ reason, purchase, ...terms }: Case): Promise<void> => {
  const program = newProgram();
  const { code } = await codeOf(program, terms);
  const validated = await validate(program, code, purchase);
  expect({ valid: validated.valid, reason: validated.reason }).toEqual({ valid: reason === null, reason });
  const outcome = await outcomeOf(() => sell(program, code, purchase));
  expect(outcome).toEqual(reason === null ? 'accepted' : refusedFor(reason));
};

const minimum = { minimumAmountMinor: 1000, minimumAmountCurrency: 'USD' };
const flat = { couponType: 'FLAT', percentOff: null, amountOffMinor: 500, currency: 'USD' } as const;
const products = { limitToProducts: true, productIds: ['p1', 'p2'] };

describe('a code that', () => {
  it.each<Case & { is: string }>([
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

  it('a code that does not exist, or that differs in a letter’s case, comes before all', async () => {
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

describe('a first order', () => {
  it('is one of a customer without any sale yet', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    const email = 'priya@example.com';
    expect(await outcomeOf(() => sell(program, code, { email }))).toBe('accepted');
    expect(await outcomeOf(() => sell(program, code, { email }))).toEqual(refusedFor('first_order_only'));
    expect((await validate(program, code, { email })).reason).toBe('first_order_only');
    expect(await outcomeOf(() => sell(program, code, { email: 'other@example.com' }))).toBe('accepted');
  });

  it('counts orders without the code, and those of other programs do not', async () => {
    const [program, other] = [newProgram(), newProgram()];
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    const email = 'priya@example.com';
    await sell(other, (await codeOf(other, {})).code, { email });
    expect((await validate(program, code, { email })).reason).toBeNull();
    await sell(program, (await storeCode(program, await storeCoupon(program))).code, { email });
    expect((await validate(program, code, { email })).reason).toBe('first_order_only');
  });

  it('race: of 20 first orders of one customer at once one is accepted', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    const orders = Array.from({ length: 20 }, () =>
      outcomeOf(() => sell(program, code, { email: 'priya@example.com' })),
    );
    const outcomes = await Promise.all(orders);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual(
      Array(19).fill(refusedFor('first_order_only')),
    );
  });
});

describe('a cap', () => {
  // 16 uses fill one shard.
  it.each([1, 2, 16, 17])('of a code lets it be redeemed %i times', async (maxRedemptions) => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { maxRedemptions } });
    for (let use = 0; use < maxRedemptions; use++) expect(await outcomeOf(() => sell(program, code))).toBe('accepted');
    expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('code_limit_reached'));
    expect((await validate(program, code)).reason).toBe('code_limit_reached');
  });

  it('of a coupon is shared by its codes', async () => {
    const program = newProgram();
    const coupon = await storeCoupon(program, { maxRedemptions: 3 });
    const [one, other] = [await storeCode(program, coupon), await storeCode(program, coupon)];
    for (const { code } of [one, other, one]) expect(await outcomeOf(() => sell(program, code))).toBe('accepted');
    for (const { code } of [one, other]) {
      expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('coupon_limit_reached'));
      expect((await validate(program, code)).reason).toBe('coupon_limit_reached');
    }
  });

  it('of the coupon is not used up by a code that refuses', async () => {
    const program = newProgram();
    const coupon = await storeCoupon(program, { maxRedemptions: 2 });
    const capped = await storeCode(program, coupon, { maxRedemptions: 1 });
    await sell(program, capped.code);
    expect(await outcomeOf(() => sell(program, capped.code))).toEqual(refusedFor('code_limit_reached'));
    const { code } = await storeCode(program, coupon);
    expect(await outcomeOf(() => sell(program, code))).toBe('accepted');
  });

  it.each<Pick<Case, 'code' | 'coupon'> & { reason: RedemptionReason }>([
    { code: { maxRedemptions: 3 }, reason: 'code_limit_reached' },
    { coupon: { maxRedemptions: 3 }, reason: 'coupon_limit_reached' },
    { code: { maxRedemptions: 3 }, coupon: { maxRedemptions: 4 }, reason: 'code_limit_reached' },
    { code: { maxRedemptions: 4 }, coupon: { maxRedemptions: 3 }, reason: 'coupon_limit_reached' },
  ])('race: $code $coupon accepts three of ten buyers', async ({ reason, ...terms }) => {
    const program = newProgram();
    const { code } = await codeOf(program, terms);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(() => sell(program, code))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual(Array(7).fill(refusedFor(reason)));
  });
});

describe('a referral by a code', () => {
  const refer = (program: TestProgram, promoCode: string, email = 'priya@example.com') =>
    createReferral(program, bodyOf(referralOperation, { name: 'Priya Sharma', email, promoCode }), now);

  it.each<Omit<Case, 'purchase'>>([
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
