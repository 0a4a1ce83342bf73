import { retryOnConflict } from '../../../platform/table/edit.ts';
import { writeTogether } from '../../../platform/table/transaction.ts';
import type { Phase } from '../parts/phase.ts';
import { allPayouts, dropPayoutWrite, pageOfPayouts, sumsOfPayouts } from '../payouts.ts';
import { BatchMovedOn, payoutBatches, whileAtStep } from '../repository.ts';
import { isTooSmall, type StoredPayoutBatch } from '../rules.ts';
import { minimumsOf } from './minimum.ts';

/** As many as one transaction takes beside its condition. */
const payoutsInOneMessage = 99;

/** Claiming is over, so the amounts are final. */
export const settlePhases = (programId: string, batch: StoredPayoutBatch): Phase[] => [
  async (after) => {
    const { payouts, next } = await pageOfPayouts(programId, batch.id, { limit: payoutsInOneMessage, after });
    const minimumOf = await minimumsOf(
      programId,
      batch,
      payouts.map(({ affiliateId }) => affiliateId),
    );
    const drops = payouts
      .filter(
        ({ affiliateId, amountMinor, isDropped }) =>
          !isDropped && isTooSmall(amountMinor, batch, minimumOf(affiliateId)),
      )
      .map(({ affiliateId }) => dropPayoutWrite(programId, batch.id, affiliateId));
    if (drops.length > 0) await writeTogether([whileAtStep(programId, batch.id, 'SETTLING'), ...drops]);
    return next;
  },
];

export const hasDroppedPayouts = async (programId: string, batchId: string): Promise<boolean> => {
  for await (const { isDropped } of allPayouts(programId, batchId)) if (isDropped) return true;
  return false;
};

/** Throws BatchMovedOn. */
export const finishPreparation = (programId: string, batchId: string, now: Date): Promise<void> =>
  retryOnConflict(async () => {
    const batch = await payoutBatches.get(programId, batchId);
    if (batch?.step !== 'SUMMING') throw new BatchMovedOn(`Payout batch ${batchId} is not SUMMING any more`);
    const sums = await sumsOfPayouts(programId, batchId);
    const status = sums.payoutCount > 0 ? 'READY' : 'NO_TRANSACTIONS';
    const finished = { ...batch, ...sums, status, step: 'DONE', updatedAt: now.toISOString() } as const;
    await writeTogether(payoutBatches.updateWrites(programId, batch, finished));
  });
