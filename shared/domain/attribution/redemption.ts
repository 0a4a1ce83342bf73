import * as z from 'zod';
import type { RedemptionReason } from '../../contract/promotional-code-record.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import type { Write, WriteDeadline } from '../../platform/table/transaction.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import type { Redeemable } from '../uses/capped.ts';
import { blindUseWrite, type Uses, useWrite } from '../uses/counters.ts';
import { maxReadAgeMilliseconds } from '../uses/settle.ts';
import { uncountedMarker } from '../uses/uncounted.ts';
import { customerOf } from './customers.ts';

export interface Purchase {
  amountMinor: number | undefined;
  currency: string;
  programCurrency: string;
  customerId: string | undefined;
  email: string | undefined;
  productIds: readonly string[];
  isFirstOrder: boolean;
}

export interface RedeemableCode {
  code: StoredPromotionalCode;
  coupon: StoredCoupon;
  /** Of the code's affiliate, who need not be credited. */
  affiliateEmail: string | undefined;
}

const isUsedUp = ({ timesRedeemed, maxRedemptions }: { timesRedeemed: number; maxRedemptions: number | null }) =>
  maxRedemptions !== null && timesRedeemed >= maxRedemptions;

const isPast = (moment: string | null, now: Date): boolean => moment !== null && moment <= now.toISOString();

/** The first check that fails, or undefined. The caller reports `code_not_found`. docs/behavior.md#reasons */
export const refusalOf = (
  { code, coupon, affiliateEmail }: RedeemableCode,
  purchase: Purchase,
  now: Date,
): RedemptionReason | undefined => {
  const minimum = code.minimumAmountMinor;
  const foreignMinimum = minimum !== null && code.minimumAmountCurrency !== purchase.programCurrency;
  const foreignCoupon = coupon.couponType === 'FLAT' && coupon.currency !== purchase.programCurrency;
  const isBelowMinimum = minimum !== null && (purchase.amountMinor ?? 0) < minimum;
  const checks: [RedemptionReason, boolean][] = [
    ['code_inactive', !code.active],
    ['code_expired', isPast(code.expiresAt, now)],
    ['coupon_invalid', !coupon.enabled],
    ['coupon_expired', isPast(coupon.redeemBy, now)],
    ['code_limit_reached', isUsedUp(code)],
    ['coupon_limit_reached', isUsedUp(coupon)],
    ['customer_required', code.firstTimeOrder && customerOf(purchase) === undefined],
    ['first_order_only', code.firstTimeOrder && !purchase.isFirstOrder],
    ['wrong_currency', foreignMinimum || foreignCoupon || purchase.currency !== purchase.programCurrency],
    ['below_minimum_amount', isBelowMinimum],
    ['wrong_customer', (code.limitToCustomers || code.customerId !== null) && code.customerId !== purchase.customerId],
    ['wrong_affiliate', code.limitToAffiliate && (!affiliateEmail || affiliateEmail !== purchase.email)],
    ['wrong_product', coupon.limitToProducts && !purchase.productIds.some((id) => coupon.productIds.includes(id))],
  ];
  return checks.find(([, fails]) => fails)?.[0];
};

export const redemptionSentences: Record<RedemptionReason, string> = {
  code_not_found: 'This promotional code does not exist',
  code_inactive: 'This promotional code is not active',
  code_expired: 'This promotional code has expired',
  coupon_invalid: 'The coupon of this promotional code is not valid',
  coupon_expired: 'The coupon of this promotional code has expired',
  code_limit_reached: 'This promotional code has been redeemed as often as it may be',
  coupon_limit_reached: 'The coupon of this promotional code has been redeemed as often as it may be',
  customer_required: 'This promotional code is for first orders only: send the email or the customerId of the customer',
  first_order_only: 'This promotional code is for first orders only',
  wrong_currency: "This promotional code is in another currency than the program's",
  below_minimum_amount: 'The purchase is below the minimum amount of this promotional code',
  wrong_customer: 'This promotional code is for another customer',
  wrong_affiliate: 'Only the assigned affiliate may redeem this promotional code',
  wrong_product: 'This promotional code is not for this product',
};

/** `timesRedeemed` of code and coupon is exact if the shards were read; otherwise it may lag. */
export interface ReadForRedemption extends RedeemableCode {
  codeUses: Uses | undefined;
  couponUses: Uses | undefined;
  /** On the clock of `performance.now`, before any of it was read. */
  readAt: number;
}

/** Only the shards know whether a limit is the earlier reason. */
export const mayBeUsedUp = ({ code, coupon, codeUses, couponUses }: ReadForRedemption): boolean =>
  (code.maxRedemptions !== null && !codeUses) || (coupon.maxRedemptions !== null && !couponUses);

/** Retries on conflict; from the second attempt on, `isExact` asks to read the cap shards. */
export const retryRedemption = <Result>(action: (isExact: boolean) => Promise<Result>): Promise<Result> => {
  let isExact = false;
  return retryOnConflict(() => {
    const attempt = action(isExact);
    isExact = true;
    return attempt;
  });
};

/** Takes no use of a cap of code or coupon: the totals worker counts it. */
const isUncounted = ({ code, coupon }: ReadForRedemption): boolean =>
  code.maxRedemptions === null || coupon.maxRedemptions === null;

/** After it the code is read again, because a first cap may be in force by then. */
export const redemptionDeadline = (read: ReadForRedemption | undefined): WriteDeadline | undefined =>
  read && isUncounted(read)
    ? {
        at: read.readAt + maxReadAgeMilliseconds,
        refusal: () => new ConcurrentModificationError('The code was read too long ago'),
      }
    : undefined;

/** What the totals worker counts. */
export const StoredRedemption = z.object({
  couponId: z.string(),
  fromCodeCap: z.boolean(),
  fromCouponCap: z.boolean(),
});
export type StoredRedemption = z.infer<typeof StoredRedemption>;

export const storedRedemption = ({ code, coupon }: ReadForRedemption): StoredRedemption => ({
  couponId: coupon.id,
  fromCodeCap: code.maxRedemptions !== null,
  fromCouponCap: coupon.maxRedemptions !== null,
});

/** One use of each cap; without a cap, a marker until it is counted. docs/behavior.md#redemption-limits */
export const redemptionWrites = async (
  programId: string,
  read: ReadForRedemption,
  redeemedBy: { id: string; createdAt: string },
): Promise<Write[]> => {
  const { code, coupon, codeUses, couponUses } = read;
  const taken = async (kind: 'PROMOTIONAL_CODE' | 'COUPON', record: Redeemable, uses: Uses | undefined) => {
    if (record.maxRedemptions === null) return [];
    return [
      uses
        ? await useWrite(programId, kind, { record, couponId: coupon.id, uses })
        : blindUseWrite(programId, kind, record),
    ];
  };
  const uncounted = isUncounted(read)
    ? [
        uncountedMarker(
          programId,
          { couponId: coupon.id, codeId: code.id, recordId: redeemedBy.id },
          new Date(redeemedBy.createdAt),
        ),
      ]
    : [];
  const writes = await Promise.all([taken('PROMOTIONAL_CODE', code, codeUses), taken('COUPON', coupon, couponUses)]);
  return [...writes.flat(), ...uncounted];
};
