import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { maxMinorUnits } from '../../contract/fields.ts';
import { decimalText } from '../../platform/money/money.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { coupons } from '../coupons/repository.ts';
import { isForPayouts, isRedeemable, type StoredCoupon } from '../coupons/rules.ts';
import type { StoredPayoutBatch } from './rules.ts';

interface Refusal {
  message: string;
  code: string;
}

/** Why a coupon cannot pay affiliates in a currency, or undefined. docs/behavior.md#payouts-in-coupons */
export const refusalOfCoupon = (coupon: StoredCoupon, currency: string, now: Date): Refusal | undefined => {
  if (!isForPayouts(coupon)) return { message: 'is not a coupon of category PAYOUT', code: 'not_for_payouts' };
  if (coupon.payoutBatchId !== null)
    return {
      message: 'is the copy for a single payout; send the id of the coupon that it was copied from',
      code: 'not_for_payouts',
    };
  if (!isRedeemable(coupon, now))
    return { message: 'is disabled, has expired, or has no redemptions left', code: 'coupon_invalid' };
  if (coupon.couponType === 'FLAT' && coupon.currency !== currency)
    return { message: `is in ${coupon.currency}, and the payouts are in ${currency}`, code: 'wrong_currency' };
  return undefined;
};

type NamesCoupon = Pick<StoredPayoutBatch, 'couponId' | 'currency'>;

/** The coupon that a new batch names, or undefined where it names none. 404, or 400 if it cannot pay the batch. */
export const findPayoutCoupon = async (
  programId: string,
  { couponId, currency }: NamesCoupon,
  now: Date,
): Promise<StoredCoupon | undefined> => {
  if (couponId === null) return undefined;
  const coupon = requireRecord(await coupons.get(programId, couponId), 'Coupon');
  const refusal = refusalOfCoupon(coupon, currency, now);
  if (refusal) throw fieldError('couponId', `couponId ${refusal.message}`, refusal.code);
  return coupon;
};

/** What can be checked only once the batch is prepared: enough redemptions for all payouts, and no amount too large. */
const refusalOfSums = (coupon: StoredCoupon, batch: StoredPayoutBatch): string | undefined => {
  const { couponType, maxRedemptions, timesRedeemed } = coupon;
  if (couponType === 'FLAT')
    return BigInt(batch.totalAmountMinor) > BigInt(maxMinorUnits)
      ? `cannot be copied for payouts of more than ${decimalText(maxMinorUnits, batch.currency)} ${batch.currency} in all`
      : undefined;
  if (maxRedemptions === null || maxRedemptions - timesRedeemed >= batch.payoutCount) return undefined;
  return `has too few redemptions left: ${maxRedemptions - timesRedeemed} for ${batch.payoutCount} payouts`;
};

const cannotPay = (problem: string): ApiError =>
  new ApiError(
    'conflict',
    `The coupon of this batch ${problem}. Change the coupon, or delete the batch and create one with another coupon.`,
  );

/** A condition that the coupon of the batch is as it was checked here; 409 if it cannot pay. None without a coupon. */
export const couponCanPay = async (programId: string, batch: StoredPayoutBatch, now: Date): Promise<Write[]> => {
  if (batch.couponId === null) return [];
  const coupon = await coupons.get(programId, batch.couponId);
  if (!coupon) throw cannotPay('was deleted');
  const problem = refusalOfCoupon(coupon, batch.currency, now)?.message ?? refusalOfSums(coupon, batch);
  if (problem) throw cannotPay(problem);
  const changed = () => new ConcurrentModificationError(`Coupon ${coupon.id} changed`);
  return [coupons.existsCheck(programId, coupon.id, changed, { version: coupon.version })];
};
