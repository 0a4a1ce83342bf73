import type * as z from 'zod';
import type { PromotionalCode } from '../../contract/promotional-codes.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import type { OnFound } from '../../platform/concurrency/on-found.ts';
import { type ReadMany, sharedReads } from '../../platform/table/shared-reads.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { coupons } from '../coupons/repository.ts';
import { bareCouponResponse, type StoredCoupon } from '../coupons/rules.ts';
import { withExactUses } from '../uses/counters.ts';
import type { CodeOwnerIds } from './find-code.ts';
import { bareCodeResponse, type StoredPromotionalCode } from './rules.ts';

export type PromotionalCodeResponse = z.input<typeof PromotionalCode>;

export interface OwnerReads {
  coupons: ReadMany<StoredCoupon>;
  affiliates: ReadMany<StoredAffiliate>;
  onFound: OnFound<CodeOwnerIds>;
}

/** Coupons and affiliates, each read once; deleted ones appear as they last were. */
export const ownerReads = (programId: string): OwnerReads => {
  const reads = {
    coupons: sharedReads<StoredCoupon>((ids) => coupons.getManyEvenDeleted(programId, ids)),
    affiliates: sharedReads<StoredAffiliate>((ids) => affiliates.getManyEvenDeleted(programId, ids)),
  };
  const onFound = ({ couponId, affiliateId }: CodeOwnerIds) => {
    begin(reads.coupons([couponId]));
    if (affiliateId !== null) begin(reads.affiliates([affiliateId]));
  };
  return { ...reads, onFound };
};

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

/** `exactUses` reads the shards. */
export const codeResponses = async (
  program: { id: string; reads?: Omit<OwnerReads, 'onFound'> },
  codes: readonly StoredPromotionalCode[],
  now: Date,
  { exactUses = false } = {},
): Promise<PromotionalCodeResponse[]> => {
  const reads = program.reads ?? ownerReads(program.id);
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
