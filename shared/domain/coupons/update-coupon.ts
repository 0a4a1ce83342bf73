import { contradictionsOf } from '../../contract/coupon-terms.ts';
import type { updateCoupon as operation } from '../../contract/coupons.ts';
import { ApiError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { fromMinor, positiveMinor } from '../../platform/money/money.ts';
import { expectVersion, retryOnConflict, sentFields } from '../../platform/table/edit.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { capAfterEdit } from '../uses/counters.ts';
import { coupons } from './repository.ts';
import { automaticSince, automaticSlots, type StoredCoupon } from './rules.ts';

type Body = BodyOf<typeof operation>;

const changedAmountOff = ({ amountOffMinor, currency }: StoredCoupon, { amountOff }: Body): number | undefined => {
  if (amountOff !== undefined) return amountOff ?? undefined;
  return amountOffMinor === null || currency === null ? undefined : fromMinor(amountOffMinor, currency);
};

const changedCoupon = (coupon: StoredCoupon, body: Body, now: Date): StoredCoupon => {
  const { couponId: _couponId, amountOff: _amountOff, valid, ...fields } = body;
  const given = sentFields(fields);
  const changed: StoredCoupon = { ...coupon, ...given, updatedAt: now.toISOString(), enabled: valid ?? coupon.enabled };
  if (changed.name.toLowerCase() !== coupon.name.toLowerCase()) delete changed.importName;
  // A change of the duration also removes its months.
  if (changed.duration !== 'repeating' && body.durationInMonths === undefined) changed.durationInMonths = null;
  const amountOff = changedAmountOff(coupon, body);
  const contradictions = contradictionsOf({ ...changed, amountOff });
  const details = contradictions.map(([path, message]) => ({ path, message: `${path} ${message}` }));
  if (details[0]) throw new ApiError('bad_request', details[0].message, { details });
  if (amountOff !== undefined && changed.currency !== null)
    changed.amountOffMinor = positiveMinor('amountOff', amountOff, changed.currency);
  Object.assign(changed, capAfterEdit(coupon, changed.maxRedemptions, now));
  changed.automaticSince = automaticSince(changed.autoCouponRule, coupon.automaticSince, now);
  return changed;
};

/** 404, or 400 if the resulting terms contradict each other. docs/behavior.md#coupon-terms */
export const updateCoupon = (
  programId: string,
  body: Body,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredCoupon> =>
  retryOnConflict(async () => {
    const coupon = await coupons.get(programId, body.couponId);
    if (!coupon) throw new ApiError('not_found', 'Coupon not found');
    expectVersion(coupon, expectedVersions);
    const changed = changedCoupon(coupon, body, now);
    const write = async (written: StoredCoupon): Promise<StoredCoupon> => {
      await writeTogether(coupons.updateWrites(programId, coupon, written));
      return { ...written, version: coupon.version + 1 };
    };
    if (changed.automaticSince === null) return write({ ...changed, automaticSlot: null });
    if (changed.automaticSlot !== null) return write(changed);
    return withFreeSlot(coupons, programId, automaticSlots, (automaticSlot) => write({ ...changed, automaticSlot }));
  });
