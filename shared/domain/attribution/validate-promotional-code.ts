import Big from 'big.js';
import type { BodyOf, ResponseOf } from '../../contract/operation.ts';
import type { validatePromotionalCode as operation } from '../../contract/promotional-codes.ts';
import { boundedMinor, fromMinor } from '../../platform/money/money.ts';
import { isForPayouts, type StoredCoupon } from '../coupons/rules.ts';
import { findCodeWithOwners } from '../promotional-codes/find-code.ts';
import { codeResponse } from '../promotional-codes/responses.ts';
import { withExactUses } from '../uses/counters.ts';
import { isSelfReferral } from './attribution.ts';
import { customerOf, hasOrdered } from './customers.ts';
import { refusalOf } from './redemption.ts';

type Validation = ResponseOf<typeof operation>;

const discountMinor = (coupon: StoredCoupon, amountMinor: number): number =>
  coupon.percentOff === null
    ? Math.min(coupon.amountOffMinor ?? 0, amountMinor)
    : new Big(amountMinor).times(coupon.percentOff).div(100).round(0, Big.roundHalfUp).toNumber();

const discountOf = (
  coupon: StoredCoupon,
  amountMinor: number | undefined,
  currency: string,
): Validation['discount'] => ({
  couponType: coupon.couponType,
  percentOff: coupon.percentOff,
  amountOff: coupon.amountOffMinor === null ? null : fromMinor(coupon.amountOffMinor, coupon.currency ?? currency),
  currency: coupon.currency,
  discountAmount: amountMinor === undefined ? null : fromMinor(discountMinor(coupon, amountMinor), currency),
});

/** Whether a code could be redeemed, why not, and its discount. docs/behavior.md#reasons */
export const validatePromotionalCode = async (
  program: { id: string; currency: string },
  body: BodyOf<typeof operation>,
  now: Date,
): Promise<Validation> => {
  const found = await findCodeWithOwners(program.id, body.code);
  if (!found) return { valid: false, reason: 'code_not_found', discount: null, promotionalCode: null };
  const customer = customerOf(body);
  const [code, coupon, affiliate, ordered] = await Promise.all([
    withExactUses(program.id, 'PROMOTIONAL_CODE', found.code),
    found.coupon.then((read) => read && withExactUses(program.id, 'COUPON', read)),
    found.affiliate,
    found.code.firstTimeOrder && customer !== undefined ? hasOrdered(program.id, customer) : false,
  ]);
  if (!coupon) return { valid: false, reason: 'coupon_invalid', discount: null, promotionalCode: null };
  const currency = body.currency ?? program.currency;
  const amountMinor = body.amount == null ? undefined : boundedMinor('amount', body.amount, currency);
  const refusal = refusalOf(
    { code, coupon, affiliateEmail: affiliate?.email },
    {
      amountMinor,
      currency,
      programCurrency: program.currency,
      customerId: body.customerId ?? undefined,
      email: body.email ?? undefined,
      productIds: body.productIds ?? [],
      isFirstOrder: body.firstOrder !== false && !ordered,
    },
    now,
  );
  const credited = isForPayouts(coupon) ? undefined : affiliate;
  const isInactive = credited !== undefined && credited.status !== 'ACTIVE';
  const isSelf = await isSelfReferral(program.id, credited, body.email, code);
  const reason = isInactive ? 'affiliate_not_active' : isSelf ? 'self_referral' : refusal;
  return {
    valid: reason === undefined,
    reason: reason ?? null,
    discount: reason === undefined ? discountOf(coupon, amountMinor, currency) : null,
    promotionalCode: codeResponse(program, { code, coupon, affiliate }, now),
  };
};
