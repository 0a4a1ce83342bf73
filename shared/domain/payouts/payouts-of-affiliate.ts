import { payoutsInBatches, type StoredPayout } from './payouts.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

export interface PayoutOfAffiliate {
  batch: StoredPayoutBatch;
  amountMinor: bigint;
  saleCount: number;
  promotionalCode: StoredPayout['promotionalCode'];
}

/** An affiliate's payouts in the newest `count` batches of the program, newest first: two round trips. */
export const newestPayoutsOfAffiliate = async (
  programId: string,
  affiliateId: string,
  count: number,
): Promise<PayoutOfAffiliate[]> => {
  const { items } = await payoutBatches.page(programId, { limit: count });
  const settled = items.filter(({ step }) => step === 'DONE');
  const byBatch = await payoutsInBatches(
    programId,
    affiliateId,
    settled.map(({ id }) => id),
  );
  return settled.flatMap((batch) => {
    const payout = byBatch.get(batch.id);
    if (!payout) return [];
    const { amountMinor, saleCount, promotionalCode } = payout;
    return [{ batch, amountMinor, saleCount, promotionalCode }];
  });
};
