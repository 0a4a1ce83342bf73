import { fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { createPayoutBatch as operation } from '../../contract/payout-batches.ts';
import { boundedMinor } from '../../platform/money/money.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { findPayoutCoupon } from './payout-coupon.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** Writes nothing. Later sales belong to a later batch. docs/behavior.md#payout-batches */
export const newPayoutBatch = (currency: string, body: BodyOf<typeof operation>, now: Date): StoredPayoutBatch => {
  const at = now.toISOString();
  const periodEnd = body.periodEnd && body.periodEnd < at ? body.periodEnd : at;
  if (body.periodStart && body.periodStart >= periodEnd)
    throw fieldError('periodStart', 'periodStart must be before periodEnd, which is now at the latest');
  return {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    name: body.name ?? null,
    status: 'PREPARING',
    step: 'CLAIMING',
    periodStart: body.periodStart ?? null,
    periodEnd,
    affiliateIds: body.affiliateIds ? [...new Set(body.affiliateIds)] : null,
    paymentMethod: body.paymentMethod ?? null,
    couponId: body.couponId ?? null,
    minimumAmountMinor: body.minimumAmount == null ? null : boundedMinor('minimumAmount', body.minimumAmount, currency),
    currency,
    payoutCount: 0,
    saleCount: 0,
    totalAmountMinor: '0',
    paidAt: null,
    source: 'API',
  };
};

/** 404 if the coupon that it names does not exist, 400 if that cannot pay it. docs/behavior.md#payouts-in-coupons */
export const createPayoutBatch = async (
  { id: programId, currency }: { id: string; currency: string },
  body: BodyOf<typeof operation>,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<StoredPayoutBatch> => {
  const batch = newPayoutBatch(currency, body, now);
  await findPayoutCoupon(programId, batch, now);
  await writeTogether([...payoutBatches.createWrites(programId, batch), ...recordCreated(batch.id)]);
  return batch;
};
