import type * as z from 'zod';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import type { PromotionalCode } from '../contract/promotional-codes.ts';
import { coupons } from '../coupons/repository.ts';
import { bareCouponAnswer, type StoredCoupon } from '../coupons/rules.ts';
import { bareCodeAnswer, type StoredPromotionalCode } from './rules.ts';

export type PromotionalCodeAnswer = z.input<typeof PromotionalCode>;

/** The REST record of a code whose coupon and affiliate are at hand. Specification, "PromotionalCode". */
export const codeAnswer = (
  program: { id: string },
  {
    code,
    coupon,
    affiliate,
  }: { code: StoredPromotionalCode; coupon: StoredCoupon; affiliate: StoredAffiliate | undefined },
  now: Date,
): PromotionalCodeAnswer => ({ ...bareCodeAnswer(code, affiliate), coupon: bareCouponAnswer(coupon, program.id, now) });

/**
 * The REST records of codes. Coupons and affiliates are read once each, in one batch; those that were deleted a moment
 * ago, while their codes follow, as they last were.
 */
export const codeAnswers = async (
  program: { id: string },
  codes: readonly StoredPromotionalCode[],
  now: Date,
): Promise<PromotionalCodeAnswer[]> => {
  const [couponsById, affiliatesById] = await Promise.all([
    coupons.getManyEvenDeleted(
      program.id,
      codes.map((code) => code.couponId),
    ),
    affiliates.getManyEvenDeleted(
      program.id,
      codes.flatMap((code) => code.affiliateId ?? []),
    ),
  ]);
  return codes.map((code) => {
    const coupon = couponsById.get(code.couponId);
    if (!coupon) throw new Error(`The coupon of promotional code ${code.id} is gone without a trace`);
    return codeAnswer(program, { code, coupon, affiliate: affiliatesById.get(code.affiliateId ?? '') }, now);
  });
};
