import { couponTypeOf } from '../../contract/coupon-terms.ts';
import type { createCoupon as operation } from '../../contract/coupons.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { positiveMinor } from '../../platform/money/money.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { recordSource } from '../../platform/table/import-mark.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { createUsesWrites } from '../uses/counters.ts';
import { coupons } from './repository.ts';
import { automaticSince, automaticSlots, type StoredCoupon } from './rules.ts';

/** 400 if the externalId is taken or the amount rounds to 0. docs/behavior.md#coupon-terms */
export const createCoupon = async (
  programId: string,
  { valid, amountOff, ...body }: BodyOf<typeof operation>,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<StoredCoupon> => {
  const at = now.toISOString();
  const currency = body.currency ?? null;
  const amountOffMinor = amountOff && currency ? positiveMinor('amountOff', amountOff, currency) : null;
  const coupon: StoredCoupon = {
    ...body,
    couponType: couponTypeOf({ ...body, amountOff }),
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    externalId: body.externalId ?? null,
    percentOff: body.percentOff ?? null,
    amountOffMinor,
    currency,
    durationInMonths: body.durationInMonths ?? null,
    maxRedemptions: body.maxRedemptions ?? null,
    timesRedeemed: 0,
    uncappedUses: 0,
    cappedSince: body.maxRedemptions == null ? null : at,
    isCapEdited: false,
    isSettled: false,
    enabled: valid,
    redeemBy: body.redeemBy ?? null,
    integrationType: body.integrationType ?? null,
    autoCouponRule: body.autoCouponRule ?? null,
    automaticSince: automaticSince(body.autoCouponRule, null, now),
    automaticSlot: null,
    payoutBatchId: null,
    ...(recordSource() === 'IMPORTED' && body.externalId == null && { importName: body.name.toLowerCase() }),
    metadata: body.metadata ?? {},
  };
  const write = async (written: StoredCoupon): Promise<StoredCoupon> => {
    await writeTogether([
      ...coupons.createWrites(programId, written),
      ...createUsesWrites(programId, 'COUPON', written),
      ...recordCreated(coupon.id),
    ]);
    return written;
  };
  if (coupon.automaticSince === null) return write(coupon);
  return withFreeSlot(coupons, programId, automaticSlots, (automaticSlot) => write({ ...coupon, automaticSlot }));
};
