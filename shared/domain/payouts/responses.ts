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

type PageOfPayouts = Awaited<ReturnType<typeof pageOfPayouts>>;

const withAffiliates = async (programId: string, { payouts, next }: PageOfPayouts, inOneTrip = false) => {
  const ids = payouts.map(({ affiliateId }) => affiliateId);
  const byId = await affiliates.getManyEvenDeleted(programId, ids, { inOneTrip });
  return { entries: payouts.map((payout) => ({ payout, affiliate: byId.get(payout.affiliateId) })), next };
};

interface PageRequest {
  limit: number;
  after?: string | undefined;
}

const none = { entries: [], next: undefined };

/** Includes deleted affiliates; empty until all payouts are known. */
export const payoutsWithAffiliates = async (
  programId: string,
  batch: StoredPayoutBatch,
  request: PageRequest,
): Promise<{
  entries: { payout: StoredPayout; affiliate: StoredAffiliate | undefined }[];
  next: string | undefined;
}> => (batch.step === 'DONE' ? withAffiliates(programId, await pageOfPayouts(programId, batch.id, request)) : none);

/** To see how many there are. */
export const payoutsWithoutAffiliates: typeof payoutsWithAffiliates = async (programId, batch, request) => {
  if (batch.step !== 'DONE') return none;
  const { payouts, next } = await pageOfPayouts(programId, batch.id, request);
  return { entries: payouts.map((payout) => ({ payout, affiliate: undefined })), next };
};

/** The batch and its payouts, read at the same time; 404. */
export const findBatchWithPayouts = async (programId: string, batchId: string, request: PageRequest) => {
  const [batch, payouts] = await Promise.all([
    findPayoutBatch(programId, batchId),
    pageOfPayouts(programId, batchId, request),
  ]);
  return { batch, ...(batch.step === 'DONE' ? await withAffiliates(programId, payouts, true) : none) };
};

const payoutResponse = (
  batch: StoredPayoutBatch,
  { affiliateId, amountMinor, saleCount, promotionalCode }: StoredPayout,
  affiliate: StoredAffiliate | undefined,
): z.input<typeof Payout> => ({
  id: payoutIdOf(batch, affiliateId),
  affiliateId,
  affiliate: affiliate ? affiliateSummary(affiliate) : null,
  amount: fromMinor(amountMinor, batch.currency),
  saleCount,
  status: payoutStatusOf(batch),
  paidAt: batch.paidAt,
  promotionalCode,
});

export const findPayoutBatch = async (programId: string, batchId: string): Promise<StoredPayoutBatch> =>
  requireRecord(await payoutBatches.get(programId, batchId), 'Payout batch');

export const batchWithPayouts = async (
  programId: string,
  batch: StoredPayoutBatch,
  request: PageRequest,
): Promise<RecordWithPage<z.input<typeof PayoutBatch>>> => {
  const { entries, next } = await payoutsWithAffiliates(programId, batch, request);
  const payouts = entries.map(({ payout, affiliate }) => payoutResponse(batch, payout, affiliate));
  return new RecordWithPage({ ...payoutBatchResponse(batch), payouts }, next);
};
