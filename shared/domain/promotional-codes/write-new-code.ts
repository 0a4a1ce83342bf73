import { ApiError } from '../../contract/errors.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { type Write, withoutReads, writeTogether } from '../../platform/table/transaction.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { createUsesWrites } from '../uses/counters.ts';
import { CodeTaken, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

export interface CreatedCode {
  code: StoredPromotionalCode;
  coupon: StoredCoupon;
  affiliate: StoredAffiliate | undefined;
}

export interface CodeOwners {
  coupon: StoredCoupon;
  affiliate: StoredAffiliate | undefined;
}

export type CodeTerms = Omit<
  StoredPromotionalCode,
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | 'version'
  | 'code'
  | 'couponId'
  | 'affiliateId'
  | 'timesRedeemed'
  | 'uncappedUses'
  | 'cappedSince'
  | 'isCapEdited'
  | 'isSettled'
>;

export const couponNotFound = () => new ApiError('not_found', 'Coupon not found');

/**
 * Throws CodeTaken. A condition on coupon or affiliate would make codes conflict; the sweep after a deletion finds
 * them.
 */
export const writeNewCode = async (
  programId: string,
  { coupon, affiliate }: CodeOwners,
  terms: CodeTerms,
  source: {
    texts: Iterable<string>;
    now: Date;
    together?: readonly Write[];
    /** False for a worker that may not read codes. */
    mayRead?: boolean;
    recordCreated?: (codeId: string) => readonly Write[];
  },
): Promise<CreatedCode> => {
  const { texts, now, together = [], mayRead = true, recordCreated = notIdempotent.recordCreated } = source;
  const at = now.toISOString();
  let taken: CodeTaken | undefined;
  for (const text of texts) {
    const code: StoredPromotionalCode = {
      ...terms,
      id: newRecordId(now),
      createdAt: at,
      updatedAt: at,
      version: 1,
      code: text,
      couponId: coupon.id,
      affiliateId: affiliate?.id ?? null,
      timesRedeemed: 0,
      uncappedUses: 0,
      cappedSince: terms.maxRedemptions === null ? null : at,
      isCapEdited: false,
      isSettled: false,
    };
    try {
      const shards = createUsesWrites(programId, 'PROMOTIONAL_CODE', code);
      const created = promotionalCodes.createWrites(programId, code);
      const written = [...(mayRead ? created : withoutReads(created)), ...shards];
      await writeTogether([...together, ...written, ...recordCreated(code.id)]);
      return { code, coupon, affiliate };
    } catch (error) {
      if (!(error instanceof CodeTaken)) throw error;
      taken = error;
    }
  }
  throw taken ?? new Error('There was no text to try');
};
