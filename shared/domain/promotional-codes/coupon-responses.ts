import type * as z from 'zod';
import type { Coupon } from '../../contract/coupons.ts';
import { requireRecord } from '../../contract/errors.ts';
import { begin } from '../../platform/concurrency/begin.ts';
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
  reading: ReturnType<typeof nestedCodes>,
): Promise<z.input<typeof Coupon>[]> => {
  const codes = await reading;
  return coupons.map((coupon, at) => ({
    ...bareCouponResponse(coupon, program.id, now),
    promotionalCodes: (codes[at] ?? []).map(({ code, affiliate }) => bareCodeResponse(code, affiliate)),
  }));
};

/** Begins to read the codes of a coupon, which needs no more than its id. */
export const beginCodesOf = ({ id: programId }: { id: string }, couponId: string): ReturnType<typeof nestedCodes> =>
  begin(nestedCodes(programId, [couponId], codesOfOne));

export const couponResponse = async (
  program: { id: string },
  coupon: StoredCoupon,
  now: Date,
  codes = beginCodesOf(program, coupon.id),
): Promise<z.input<typeof Coupon>> => requireRecord((await responsesWith(program, [coupon], now, codes))[0], 'Coupon');

export const couponResponses = (program: { id: string }, coupons: readonly StoredCoupon[], now: Date) => {
  const ids = coupons.map(({ id }) => id);
  return responsesWith(program, coupons, now, nestedCodes(program.id, ids, codesOfEach));
};
