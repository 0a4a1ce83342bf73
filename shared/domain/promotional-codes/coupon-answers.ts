import type * as z from 'zod';
import type { Coupon } from '../../contract/coupons.ts';
import { bareCouponAnswer, type StoredCoupon } from '../coupons/rules.ts';
import { nestedCodes } from './nested-codes.ts';
import { bareCodeAnswer } from './rules.ts';

/** How many codes a coupon shows: where it is asked for alone, and in a list. */
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

/** The REST record of a coupon with its newest 100 codes. In a list, so that it can be used as the others. */
export const couponAnswer = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) =>
  answersWith(program, coupons, now, codesOfOne);

/** The REST records of a list of coupons, each with its newest 10 codes. */
export const couponAnswers = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) =>
  answersWith(program, coupons, now, codesOfEach);
