import type { RedemptionReason } from '../../shared/contract/promotional-code-record.ts';
import { validatePromotionalCode as validation } from '../../shared/contract/promotional-codes.ts';
import { createSale as saleOperation } from '../../shared/contract/sales.ts';
import { validatePromotionalCode } from '../../shared/domain/attribution/validate-promotional-code.ts';
import type { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import type { StoredPromotionalCode } from '../../shared/domain/promotional-codes/rules.ts';
import { createSale } from '../../shared/domain/sales/create-sale.ts';
import { bodyOf, now, storeAffiliate, storeCode, storeCoupon, type TestProgram } from './domain.ts';

/** What both a sale and a validation say of a purchase. */
export interface Purchase {
  amount?: number;
  email?: string;
  customerId?: string;
  firstOrder?: boolean;
  productId?: string;
}

/** A code and its coupon, a purchase with it, and why that is refused, or null. */
export interface RedemptionCase {
  code?: Partial<StoredPromotionalCode>;
  coupon?: Partial<StoredCoupon>;
  purchase?: Purchase;
  reason: RedemptionReason | null;
}

/** The email of the affiliate whose codes `codeOf` makes. */
export const affiliateEmail = 'amara@example.com';

/** A code of an affiliate. */
export const codeOf = async (
  program: TestProgram,
  { code = {}, coupon = {} }: Pick<RedemptionCase, 'code' | 'coupon'>,
) => {
  const affiliate = await storeAffiliate(program, { email: affiliateEmail });
  return storeCode(program, await storeCoupon(program, coupon), { affiliateId: affiliate.id, ...code });
};

/** A sale of 100.00 by a code, unless the purchase says otherwise. */
export const sell = (
  program: TestProgram,
  promoCode: string,
  { amount = 100, productId, ...purchase }: Purchase = {},
) =>
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

/** The same purchase, asked for without a redemption. */
export const validate = (program: TestProgram, code: string, { amount = 100, productId, ...purchase }: Purchase = {}) =>
  validatePromotionalCode(
    program,
    bodyOf(validation, { code, amount, ...(productId && { productIds: [productId] }), ...purchase }),
    now,
  );

/** The refusal of a sale or referral by a code. */
export const refusedFor = (code: RedemptionReason | 'affiliate_not_active') => ({
  status: 400,
  path: 'promoCode',
  code,
});

export const minimum = { minimumAmountMinor: 1000, minimumAmountCurrency: 'USD' };
export const flat = { couponType: 'FLAT', percentOff: null, amountOffMinor: 500, currency: 'USD' } as const;
export const products = { limitToProducts: true, productIds: ['p1', 'p2'] };
