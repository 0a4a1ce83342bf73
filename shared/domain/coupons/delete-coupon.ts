import { ApiError } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { coupons } from './repository.ts';
import type { StoredCoupon } from './rules.ts';
import { usesRemoval } from './uses.ts';

/** 404 if there is none. Keeps a tombstone for the events of its codes. docs/behavior.md#deleting-a-coupon */
export const deleteCoupon = (
  programId: string,
  couponId: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredCoupon> =>
  whileChanging(async () => {
    const coupon = await coupons.get(programId, couponId);
    if (!coupon) throw new ApiError('not_found', 'Coupon not found');
    expectVersion(coupon, expectedVersions);
    await writeTogether([
      ...coupons.removal(programId, coupon),
      coupons.tombstone(programId, coupon, now),
      ...(await usesRemoval(programId, 'COUPON', coupon)),
    ]);
    return coupon;
  });
