import type * as z from 'zod';
import type { Coupon } from '../../contract/coupons.ts';
import { bareCouponAnswer, type StoredCoupon } from '../coupons/rules.ts';
import { nestedCodes } from './nested-codes.ts';
import { bareCodeAnswer } from './rules.ts';

/** See docs/behavior.md#codes-inside-a-coupon */
const codesOfOne = 100;
const codesOfEach = 10;

const answersWith = async (
  program: { id: string },
  coupons: readonly StoredCoupon[],
  now: Date,
  codesShown: number,
): Promise<z.input<typeof Coupon>[]> => {
  const ids = coupons.map(({ id }) => id);
  const codes = await nestedCodes(program.id, ids, codesShown);
  return coupons.map((coupon, at) => ({
    ...bareCouponAnswer(coupon, program.id, now),
    promotionalCodes: (codes[at] ?? []).map(({ code, affiliate }) => bareCodeAnswer(code, affiliate)),
  }));
};

export const couponAnswer = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) =>
  answersWith(program, coupons, now, codesOfOne);

export const couponAnswers = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) =>
  answersWith(program, coupons, now, codesOfEach);
