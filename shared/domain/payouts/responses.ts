import type * as z from 'zod';
import { requireRecord } from '../../contract/errors.ts';
import type { Payout, PayoutBatch } from '../../contract/payout-batches.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { RecordWithPage } from '../../platform/table/paged-responses.ts';
import { affiliates } from '../affiliates/repository.ts';
import { affiliateSummary, type StoredAffiliate } from '../affiliates/rules.ts';
import { pageOfPayouts, type StoredPayout } from './payouts.ts';
import { payoutBatches } from './repository.ts';
import { payoutBatchResponse, type StoredPayoutBatch } from './rules.ts';

/** Derived from batch and affiliate, so that it is always the same. */
export const payoutIdOf = (batch: StoredPayoutBatch, affiliateId: string): string =>
  derivedId(new Date(batch.createdAt), batch.id, affiliateId);

export const payoutStatusOf = ({ status }: StoredPayoutBatch) => (status === 'PAID' ? 'PAID' : 'UNPAID');

/** Includes deleted affiliates; empty until all payouts are known. */
export const payoutsWithAffiliates = async (
  programId: string,
  batch: StoredPayoutBatch,
  request: { limit: number; after?: string | undefined },
): Promise<{
  entries: { payout: StoredPayout; affiliate: StoredAffiliate | undefined }[];
  next: string | undefined;
}> => {
  if (batch.step !== 'DONE') return { entries: [], next: undefined };
  const { payouts, next } = await pageOfPayouts(programId, batch.id, request);
  const ids = payouts.map(({ affiliateId }) => affiliateId);
  const byId = await affiliates.getManyEvenDeleted(programId, ids);
  return { entries: payouts.map((payout) => ({ payout, affiliate: byId.get(payout.affiliateId) })), next };
};

const payoutResponse = (
  batch: StoredPayoutBatch,
  { affiliateId, amountMinor, saleCount }: StoredPayout,
  affiliate: StoredAffiliate | undefined,
): z.input<typeof Payout> => ({
  id: payoutIdOf(batch, affiliateId),
  affiliateId,
  affiliate: affiliate ? affiliateSummary(affiliate) : null,
  amount: fromMinor(amountMinor, batch.currency),
  saleCount,
  status: payoutStatusOf(batch),
  paidAt: batch.paidAt,
});

export const findPayoutBatch = async (programId: string, batchId: string): Promise<StoredPayoutBatch> =>
  requireRecord(await payoutBatches.get(programId, batchId), 'Payout batch');

export const batchWithPayouts = async (
  programId: string,
  batch: StoredPayoutBatch,
  request: { limit: number; after?: string | undefined },
): Promise<RecordWithPage<z.input<typeof PayoutBatch>>> => {
  const { entries, next } = await payoutsWithAffiliates(programId, batch, request);
  const payouts = entries.map(({ payout, affiliate }) => payoutResponse(batch, payout, affiliate));
  return new RecordWithPage({ ...payoutBatchResponse(batch), payouts }, next);
};
