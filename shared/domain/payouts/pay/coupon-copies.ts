import type { StoredCoupon } from '../../coupons/rules.ts';
import { randomText } from '../../promotional-codes/rules.ts';
import type { StoredPayoutBatch } from '../rules.ts';

const randomCharacters = 16;
const nameSuffix = ' (payout)';
const maxNameCharacters = 200;

/** Hard to guess: whoever has the text and the affiliate's email can redeem it. */
export const payoutCodeText = (randomBelow: (bound: number) => number): string =>
  randomText(randomCharacters, 'uppercase', randomBelow);

/** The coupon of one payout's code: the terms of the named one, over exactly the amount and for one redemption. */
export const copyOfCoupon = (
  source: StoredCoupon,
  { id, batch, amountMinor }: { id: string; batch: Pick<StoredPayoutBatch, 'id' | 'currency'>; amountMinor: bigint },
  now: Date,
): StoredCoupon => {
  const at = now.toISOString();
  return {
    ...source,
    id,
    createdAt: at,
    updatedAt: at,
    version: 1,
    name: `${[...source.name].slice(0, maxNameCharacters - nameSuffix.length).join('')}${nameSuffix}`,
    externalId: null,
    amountOffMinor: Number(amountMinor),
    currency: batch.currency,
    enabled: true,
    maxRedemptions: 1,
    timesRedeemed: 0,
    uncappedUses: 0,
    cappedSince: at,
    isCapEdited: false,
    isSettled: false,
    autoCouponRule: null,
    automaticSince: null,
    automaticSlot: null,
    payoutBatchId: batch.id,
    importName: undefined,
  };
};
