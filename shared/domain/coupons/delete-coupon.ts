import { deleteRecord } from '../../platform/table/edit.ts';
import { deleteUsesWrites } from '../uses/counters.ts';
import { coupons } from './repository.ts';
import type { StoredCoupon } from './rules.ts';

/** 404 if there is none. Keeps a tombstone for the events of its codes. docs/behavior.md#deleting-a-coupon */
export const deleteCoupon = (
  programId: string,
  couponId: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredCoupon> =>
  deleteRecord(coupons, { programId, id: couponId, noun: 'Coupon', expectedVersions }, async (coupon) => [
    coupons.tombstoneWrite(programId, coupon, now),
    ...(await deleteUsesWrites(programId, 'COUPON', coupon)),
  ]);
