import { randomInt } from 'node:crypto';
import { newRecordId } from '../../../platform/table/record-id.ts';
import { affiliates } from '../../affiliates/repository.ts';
import type { StoredAffiliate } from '../../affiliates/rules.ts';
import { coupons } from '../../coupons/repository.ts';
import type { StoredCoupon } from '../../coupons/rules.ts';
import { type CodeTerms, unrestrictedTerms, writeNewCode } from '../../promotional-codes/write-new-code.ts';
import { createUsesWrites } from '../../uses/counters.ts';
import type { Phase } from '../parts/phase.ts';
import { PaidByCode, pageOfPayouts, paidByCodeWrite, type StoredPayout } from '../payouts.ts';
import { payoutIdOf } from '../responses.ts';
import type { StoredPayoutBatch } from '../rules.ts';
import { copyOfCoupon, payoutCodeText } from './coupon-copies.ts';

const payoutsInOneMessage = 50;
const maxDraws = 3;

class CouponGone extends Error {}

const termsOf = (batch: StoredPayoutBatch, affiliateId: string): CodeTerms => ({
  ...unrestrictedTerms,
  maxRedemptions: 1,
  limitToAffiliate: true,
  metadata: { payoutBatchId: batch.id, payoutId: payoutIdOf(batch, affiliateId) },
});

/** The coupon of a payout's code, and the writes it needs. A FLAT coupon is copied with the payout's amount. */
const couponOf = (
  programId: string,
  batch: StoredPayoutBatch,
  source: StoredCoupon,
  amountMinor: bigint,
  now: Date,
) => {
  if (source.couponType !== 'FLAT') {
    return { coupon: source, writes: [coupons.existsCheck(programId, source.id, () => new CouponGone())] };
  }
  const coupon = copyOfCoupon(source, { id: newRecordId(now), batch, amountMinor }, now);
  return {
    coupon,
    writes: [...coupons.createWrites(programId, coupon), ...createUsesWrites(programId, 'COUPON', coupon)],
  };
};

const texts = function* (): Generator<string> {
  for (let draw = 1; draw <= maxDraws; draw++) yield payoutCodeText(randomInt);
};

const createCode = async (
  programId: string,
  batch: StoredPayoutBatch,
  source: StoredCoupon,
  { payout, affiliate }: { payout: StoredPayout; affiliate: StoredAffiliate },
  now: Date,
): Promise<void> => {
  const { coupon, writes } = couponOf(programId, batch, source, payout.amountMinor, now);
  const together = ({ id, code }: { id: string; code: string }) => [
    ...writes,
    paidByCodeWrite(programId, batch.id, affiliate.id, { id, code }),
  ];
  try {
    const written = { texts: texts(), now, together, mayRead: false };
    await writeNewCode(programId, { coupon, affiliate }, termsOf(batch, affiliate.id), written);
  } catch (error) {
    if (!(error instanceof PaidByCode)) throw error;
  }
};

/** False if a PERCENTAGE coupon was deleted meanwhile: its codes are deleted with it, so no more are created. */
const createAll = async (
  programId: string,
  batch: StoredPayoutBatch,
  source: StoredCoupon,
  payouts: readonly StoredPayout[],
  now: Date,
): Promise<boolean> => {
  const unpaid = payouts.filter(({ promotionalCode }) => promotionalCode === null);
  const byId = await affiliates.getMany(
    programId,
    unpaid.map(({ affiliateId }) => affiliateId),
  );
  try {
    for (const payout of unpaid) {
      const affiliate = byId.get(payout.affiliateId);
      if (affiliate) await createCode(programId, batch, source, { payout, affiliate }, now);
    }
    return true;
  } catch (error) {
    if (!(error instanceof CouponGone)) throw error;
    return false;
  }
};

/** Creates one code for each payout. Idempotent. docs/behavior.md#payouts-in-coupons */
export const createCodes =
  (programId: string, batch: StoredPayoutBatch, couponId: string, now: Date): Phase =>
  async (after) => {
    // Even if deleted: copies of a deleted FLAT coupon still pay what is owed.
    const [byId, { payouts, next }] = await Promise.all([
      coupons.getManyEvenDeleted(programId, [couponId]),
      pageOfPayouts(programId, batch.id, { limit: payoutsInOneMessage, after }),
    ]);
    const source = byId.get(couponId);
    return source && (await createAll(programId, batch, source, payouts, now)) ? next : undefined;
  };
