import { begin } from '../../platform/concurrency/begin.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { coupons } from '../coupons/repository.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** What belongs to a code and never changes. */
export type CodeOwnerIds = Pick<StoredPromotionalCode, 'couponId' | 'affiliateId'>;

/** By a unique value. Calls `onFound` with the ids of its owners, before the code is read if the value's item has them. */
export const findCode = async (
  programId: string,
  name: 'CODE' | 'EXTERNAL_ID',
  value: string,
  onFound: OnFound<CodeOwnerIds>,
): Promise<StoredPromotionalCode | undefined> => {
  const found = await promotionalCodes.findName(programId, name, value);
  if (!found) return undefined;
  const { id, couponId, affiliateId } = found;
  const hasOwners = typeof couponId === 'string';
  if (hasOwners) onFound({ couponId, affiliateId: typeof affiliateId === 'string' ? affiliateId : null });
  const code = await promotionalCodes.get(programId, id);
  if (code && !hasOwners) onFound(code);
  return code;
};

export interface CodeWithOwners {
  code: StoredPromotionalCode;
  coupon: Promise<StoredCoupon | undefined>;
  affiliate: Promise<StoredAffiliate | undefined>;
}

/** By its text, in two round trips: coupon and affiliate are read beside the code. */
export const findCodeWithOwners = async (
  programId: string,
  text: string,
  onFound: OnFound<CodeOwnerIds> = readNothingBeside,
): Promise<CodeWithOwners | undefined> => {
  let owners: Omit<CodeWithOwners, 'code'> | undefined;
  const code = await findCode(programId, 'CODE', text, ({ couponId, affiliateId }) => {
    onFound({ couponId, affiliateId });
    owners = {
      coupon: begin(coupons.get(programId, couponId)),
      affiliate: begin(affiliateId === null ? Promise.resolve(undefined) : affiliates.get(programId, affiliateId)),
    };
  });
  return code && owners && { code, ...owners };
};
