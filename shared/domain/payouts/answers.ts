import type * as z from 'zod';
import { requireRecord } from '../../contract/errors.ts';
import type { Payout, PayoutBatch } from '../../contract/payout-batches.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { RecordWithPage } from '../../platform/table/paged-answers.ts';
import { affiliates } from '../affiliates/repository.ts';
import { affiliateSummary, type StoredAffiliate } from '../affiliates/rules.ts';
import { pageOfPayouts, type StoredPayout } from './payouts.ts';
import { payoutBatches } from './repository.ts';
import { payoutBatchAnswer, type StoredPayoutBatch } from './rules.ts';

/** The id of a payout: always the same for the same batch and affiliate. */
export const payoutIdOf = (batch: StoredPayoutBatch, affiliateId: string): string =>
  derivedId(new Date(batch.createdAt), batch.id, affiliateId);

/** Payouts are paid together with their batch. */
export const payoutStatusOf = ({ status }: StoredPayoutBatch) => (status === 'PAID' ? 'PAID' : 'UNPAID');

/** A page of a batch's payouts with their affiliates, deleted ones included. None until all of them are known. */
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

const payoutAnswer = (
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

/** The batch with that id; 404 when there is none. */
export const findPayoutBatch = async (programId: string, batchId: string): Promise<StoredPayoutBatch> =>
  requireRecord(await payoutBatches.get(programId, batchId), 'Payout batch');

/** The REST record of a batch with a page of its payouts. */
export const batchWithPayouts = async (
  programId: string,
  batch: StoredPayoutBatch,
  request: { limit: number; after?: string | undefined },
): Promise<RecordWithPage<z.input<typeof PayoutBatch>>> => {
  const { entries, next } = await payoutsWithAffiliates(programId, batch, request);
  const payouts = entries.map(({ payout, affiliate }) => payoutAnswer(batch, payout, affiliate));
  return new RecordWithPage({ ...payoutBatchAnswer(batch), payouts }, next);
};
