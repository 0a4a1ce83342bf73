import { retryOnConflict } from '../../../platform/table/edit.ts';
import { writeTogether } from '../../../platform/table/transaction.ts';
import { allPayouts } from '../payouts.ts';
import { BatchMovedOn, payoutBatches } from '../repository.ts';

const sumsOf = async (programId: string, batchId: string) => {
  let payoutCount = 0;
  let saleCount = 0;
  let totalMinor = 0n;
  for await (const payout of allPayouts(programId, batchId)) {
    payoutCount += 1;
    saleCount += payout.saleCount;
    totalMinor += payout.amountMinor;
  }
  return { payoutCount, saleCount, totalAmountMinor: String(totalMinor) };
};

/** Throws BatchMovedOn. */
export const finishPreparation = (programId: string, batchId: string, now: Date): Promise<void> =>
  retryOnConflict(async () => {
    const batch = await payoutBatches.get(programId, batchId);
    if (batch?.step !== 'SUMMING') throw new BatchMovedOn(`Payout batch ${batchId} is not SUMMING any more`);
    const sums = await sumsOf(programId, batchId);
    const status = sums.payoutCount > 0 ? 'READY' : 'NO_TRANSACTIONS';
    const finished = { ...batch, ...sums, status, step: 'DONE', updatedAt: now.toISOString() } as const;
    await writeTogether(payoutBatches.updateWrites(programId, batch, finished));
  });
