import type * as z from 'zod';
import type { Coupon } from '../../contract/coupons.ts';
import { bareCouponResponse, type StoredCoupon } from '../coupons/rules.ts';
import { nestedCodes } from './nested-codes.ts';
import { bareCodeResponse } from './rules.ts';

/** See docs/behavior.md#codes-inside-a-coupon */
const codesOfOne = 100;
const codesOfEach = 10;

const responsesWith = async (
  program: { id: string },
  coupons: readonly StoredCoupon[],
  now: Date,
  codesShown: number,
): Promise<z.input<typeof Coupon>[]> => {
  const ids = coupons.map(({ id }) => id);
  const codes = await nestedCodes(program.id, ids, codesShown);
  return coupons.map((coupon, at) => ({
    ...bareCouponResponse(coupon, program.id, now),
    promotionalCodes: (codes[at] ?? []).map(({ code, affiliate }) => bareCodeResponse(code, affiliate)),
  }));
};

export const couponResponse = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) =>
  responsesWith(program, coupons, now, codesOfOne);

export const couponResponses = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) =>
  responsesWith(program, coupons, now, codesOfEach);
