import type * as z from 'zod';
import type { PromotionalCode } from '../../contract/promotional-codes.ts';
import type { ReadMany } from '../../platform/table/shared-reads.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { coupons } from '../coupons/repository.ts';
import { bareCouponResponse, type StoredCoupon } from '../coupons/rules.ts';
import { withExactUses } from '../coupons/uses.ts';
import { bareCodeResponse, type StoredPromotionalCode } from './rules.ts';

export type PromotionalCodeResponse = z.input<typeof PromotionalCode>;

export const codeResponse = (
  program: { id: string },
  {
    code,
    coupon,
    affiliate,
  }: { code: StoredPromotionalCode; coupon: StoredCoupon; affiliate: StoredAffiliate | undefined },
  now: Date,
): PromotionalCodeResponse => ({
  ...bareCodeResponse(code, affiliate),
  coupon: bareCouponResponse(coupon, program.id, now),
});

/** Deleted coupons and affiliates appear as they last were. `exactUses` reads the shards. */
export const codeResponses = async (
  program: { id: string; reads?: { coupons: ReadMany<StoredCoupon>; affiliates: ReadMany<StoredAffiliate> } },
  codes: readonly StoredPromotionalCode[],
  now: Date,
  { exactUses = false } = {},
): Promise<PromotionalCodeResponse[]> => {
  const reads = program.reads ?? {
    coupons: (ids) => coupons.getManyEvenDeleted(program.id, ids),
    affiliates: (ids) => affiliates.getManyEvenDeleted(program.id, ids),
  };
  const [couponsById, affiliatesById] = await Promise.all([
    reads.coupons(codes.map((code) => code.couponId)),
    reads.affiliates(codes.flatMap((code) => code.affiliateId ?? [])),
  ]);
  const responses = codes.map(async (read) => {
    const found = couponsById.get(read.couponId);
    if (!found) throw new Error(`The coupon of promotional code ${read.id} and its tombstone are missing`);
    const [code, coupon] = exactUses
      ? await Promise.all([
          withExactUses(program.id, 'PROMOTIONAL_CODE', read),
          withExactUses(program.id, 'COUPON', found),
        ])
      : [read, found];
    return codeResponse(program, { code, coupon, affiliate: affiliatesById.get(code.affiliateId ?? '') }, now);
  });
  return Promise.all(responses);
};
