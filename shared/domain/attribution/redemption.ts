import * as z from 'zod';
import type { RedemptionReason } from '../../contract/promotional-codes.ts';
import { whileChanging } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { blindUseWrite, type Redeemable, type Uses, useWrite } from '../coupons/uses.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';

/** What a redemption is checked against. Amounts in minor units of `currency`. */
export interface Purchase {
  amountMinor: number | undefined;
  currency: string;
  programCurrency: string;
  customerId: string | undefined;
  email: string | undefined;
  productIds: readonly string[];
  /** False where the caller said that it is no first order, or the program has a sale of that customer. */
  isFirstOrder: boolean;
}

/** A code with what its conditions are about. */
export interface RedeemableCode {
  code: StoredPromotionalCode;
  coupon: StoredCoupon | undefined;
  affiliateEmail: string | undefined;
}

const isUsedUp = ({ timesRedeemed, maxRedemptions }: { timesRedeemed: number; maxRedemptions: number | null }) =>
  maxRedemptions !== null && timesRedeemed >= maxRedemptions;

const isPast = (moment: string | null, now: Date): boolean => moment !== null && moment <= now.toISOString();

/**
 * Why a code cannot be redeemed, or undefined: the first of the checks that fails, in the order of the decisions,
 * "/sales". `code_not_found` is the caller's, who has no code to ask about.
 */
export const refusalOf = (
  { code, coupon, affiliateEmail }: RedeemableCode,
  purchase: Purchase,
  now: Date,
): RedemptionReason | undefined => {
  const minimum = code.minimumAmountMinor;
  const foreignMinimum = minimum !== null && code.minimumAmountCurrency !== purchase.programCurrency;
  const foreignCoupon = coupon?.couponType === 'FLAT' && coupon.currency !== purchase.programCurrency;
  const isBelowMinimum = minimum !== null && !foreignMinimum && (purchase.amountMinor ?? 0) < minimum;
  const checks: [RedemptionReason, boolean][] = [
    ['code_inactive', !code.active],
    ['code_expired', isPast(code.expiresAt, now)],
    ['coupon_invalid', !coupon?.enabled],
    ['coupon_expired', isPast(coupon?.redeemBy ?? null, now)],
    ['code_limit_reached', isUsedUp(code)],
    ['coupon_limit_reached', coupon !== undefined && isUsedUp(coupon)],
    ['first_order_only', code.firstTimeOrder && !purchase.isFirstOrder],
    ['below_minimum_amount', isBelowMinimum],
    ['wrong_currency', foreignMinimum || foreignCoupon || purchase.currency !== purchase.programCurrency],
    ['wrong_customer', (code.limitToCustomers || code.customerId !== null) && code.customerId !== purchase.customerId],
    ['wrong_affiliate', code.limitToAffiliate && (!affiliateEmail || affiliateEmail !== purchase.email)],
    [
      'wrong_product',
      coupon?.limitToProducts === true && !purchase.productIds.some((id) => coupon.productIds.includes(id)),
    ],
  ];
  return checks.find(([, fails]) => fails)?.[0];
};

/** What is said of each reason, to a person. */
export const redemptionSentences: Record<RedemptionReason, string> = {
  code_not_found: 'This promotional code does not exist',
  code_inactive: 'This promotional code is not active',
  code_expired: 'This promotional code has expired',
  coupon_invalid: 'The coupon of this promotional code is not valid',
  coupon_expired: 'The coupon of this promotional code has expired',
  code_limit_reached: 'This promotional code has been redeemed as often as it may be',
  coupon_limit_reached: 'The coupon of this promotional code has been redeemed as often as it may be',
  first_order_only: 'This promotional code is for first orders only',
  below_minimum_amount: 'The purchase is below the minimum amount of this promotional code',
  wrong_currency: "This promotional code is in another currency than the program's",
  wrong_customer: 'This promotional code is for another customer',
  wrong_affiliate: 'Only the assigned affiliate may redeem this promotional code',
  wrong_product: 'This promotional code is not for this product',
};

/** A code that was read in order to redeem it, with its coupon and the shards of their caps that were read with them. */
export interface ReadForRedemption {
  /** Both with `timesRedeemed` as it is now where their shards were read; else it may be some redemptions behind. */
  code: StoredPromotionalCode;
  coupon: StoredCoupon;
  codeUses: Uses | undefined;
  couponUses: Uses | undefined;
}

/** Whether a refusal for another reason may have to name a limit instead, which the shards alone know. */
export const mayBeUsedUp = ({ code, coupon, codeUses, couponUses }: ReadForRedemption): boolean =>
  (code.maxRedemptions !== null && !codeUses) || (coupon.maxRedemptions !== null && !couponUses);

/**
 * Runs an action that redeems, and again while what it read was changed by others. From the second time on `isExact`
 * asks it to read the shards of the caps.
 */
export const whileRedeeming = <Result>(action: (isExact: boolean) => Promise<Result>): Promise<Result> => {
  let isExact = false;
  return whileChanging(() => {
    const attempt = action(isExact);
    isExact = true;
    return attempt;
  });
};

/** What a sale or referral keeps of the redemption that it came with: for the totals worker, which counts it. */
export const StoredRedemption = z.object({
  couponId: z.string(),
  /** Whether it took a use from the shards of the code's cap, and of the coupon's. */
  fromCodeCap: z.boolean(),
  fromCouponCap: z.boolean(),
});
export type StoredRedemption = z.infer<typeof StoredRedemption>;

export const storedRedemption = ({ code, coupon }: ReadForRedemption): StoredRedemption => ({
  couponId: coupon.id,
  fromCodeCap: code.maxRedemptions !== null,
  fromCouponCap: coupon.maxRedemptions !== null,
});

/**
 * What one redemption writes in the transaction of the sale or referral: one use of each cap, and nothing where there is
 * none. Of any number of racing buyers no more than the cap win.
 */
export const redemptionWrites = async (
  programId: string,
  { code, coupon, codeUses, couponUses }: ReadForRedemption,
): Promise<Write[]> => {
  const taken = async (kind: 'PROMOTIONAL_CODE' | 'COUPON', record: Redeemable, uses: Uses | undefined) => {
    if (record.maxRedemptions === null) return [];
    return [uses ? await useWrite(programId, kind, { record, uses }) : blindUseWrite(programId, kind, record)];
  };
  const writes = await Promise.all([taken('PROMOTIONAL_CODE', code, codeUses), taken('COUPON', coupon, couponUses)]);
  return writes.flat();
};
