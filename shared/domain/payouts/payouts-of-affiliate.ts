import { Page, type PageRequest } from '../../platform/table/page.ts';
import { payoutsInBatches, type StoredPayout } from './payouts.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

export interface PayoutOfAffiliate {
  batch: StoredPayoutBatch;
  amountMinor: bigint;
  saleCount: number;
  adjustmentCount: number;
  promotionalCode: StoredPayout['promotionalCode'];
}

const shownOf = ({ amountMinor, saleCount, adjustmentCount, promotionalCode }: StoredPayout) => ({
  amountMinor,
  saleCount,
  adjustmentCount,
  promotionalCode,
});

/** An affiliate's payouts in a page of the program's batches, newest first: two round trips. */
export const payoutsOfAffiliate = async (
  programId: string,
  affiliateId: string,
  request: PageRequest,
): Promise<Page<PayoutOfAffiliate>> => {
  const page = await payoutBatches.page(programId, request);
  const settled = page.entries.filter(({ item: { step } }) => step === 'DONE');
  const byBatch = await payoutsInBatches(
    programId,
    affiliateId,
    settled.map(({ item: { id } }) => id),
  );
  const found = settled.flatMap(({ item: batch, position }) => {
    const payout = byBatch.get(batch.id);
    return payout ? [{ item: { batch, ...shownOf(payout) }, position }] : [];
  });
  return new Page(found, page.next);
};

/** Of the newest `count` batches. */
export const newestPayoutsOfAffiliate = async (
  programId: string,
  affiliateId: string,
  count: number,
): Promise<readonly PayoutOfAffiliate[]> => (await payoutsOfAffiliate(programId, affiliateId, { limit: count })).items;

/** One payout, in one round trip; undefined if the batch pays nothing to the affiliate, or is being prepared. */
export const findPayoutOfAffiliate = async (
  programId: string,
  affiliateId: string,
  batchId: string,
): Promise<PayoutOfAffiliate | undefined> => {
  const [batch, byBatch] = await Promise.all([
    payoutBatches.get(programId, batchId),
    payoutsInBatches(programId, affiliateId, [batchId]),
  ]);
  const payout = byBatch.get(batchId);
  return batch?.step === 'DONE' && payout ? { batch, ...shownOf(payout) } : undefined;
};
