import type * as z from 'zod';
import { affiliates } from '../affiliates/repository.ts';
import type { Coupon } from '../contract/coupons.ts';
import { codesOfCoupon, promotionalCodes } from '../promotional-codes/repository.ts';
import { bareCodeAnswer } from '../promotional-codes/rules.ts';
import { bareCouponAnswer, type StoredCoupon } from './rules.ts';

const mostNestedCodes = 100;
/** Keeps the answer, and the event that carries it, within what one item and one response can hold. */
const mostNestedBytes = 64 * 1024;

type CodeAnswer = ReturnType<typeof bareCodeAnswer>;

const withinBytes = (codes: readonly CodeAnswer[]): CodeAnswer[] => {
  let bytes = 0;
  return codes.filter((code) => {
    bytes += Buffer.byteLength(JSON.stringify(code));
    return bytes <= mostNestedBytes;
  });
};

/** The REST records of coupons, each with its newest codes. One query a coupon and one batch read for the affiliates. */
export const couponAnswers = async (
  program: { id: string },
  coupons: readonly StoredCoupon[],
  now: Date,
): Promise<z.input<typeof Coupon>[]> => {
  const pages = await Promise.all(
    coupons.map((coupon) => promotionalCodes.page(program.id, { limit: mostNestedCodes }, codesOfCoupon(coupon.id))),
  );
  const affiliateIds = pages.flatMap((page) => page.items.flatMap((code) => code.affiliateId ?? []));
  const affiliatesById = await affiliates.getManyEvenDeleted(program.id, affiliateIds);
  return coupons.map((coupon, at) => ({
    ...bareCouponAnswer(coupon, program.id, now),
    promotionalCodes: withinBytes(
      (pages[at]?.items ?? []).map((code) => bareCodeAnswer(code, affiliatesById.get(code.affiliateId ?? ''))),
    ),
  }));
};
