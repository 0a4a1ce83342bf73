import { writeTogether } from '../../../platform/table/transaction.ts';
import type { Phase } from '../parts/phase.ts';
import { allPayouts, dropPayoutWrite, pageOfPayouts } from '../payouts.ts';
import { whileAtStep } from '../repository.ts';
import { isTooSmall, type StoredPayoutBatch } from '../rules.ts';

/** As many as one transaction takes beside its condition. */
const payoutsInOneMessage = 99;

/** Claiming is over, so the amounts are final. */
export const settlePhases = (programId: string, batch: StoredPayoutBatch): Phase[] => [
  async (after) => {
    const { payouts, next } = await pageOfPayouts(programId, batch.id, { limit: payoutsInOneMessage, after });
    const drops = payouts
      .filter(({ amountMinor, isDropped }) => !isDropped && isTooSmall(amountMinor, batch))
      .map(({ affiliateId }) => dropPayoutWrite(programId, batch.id, affiliateId));
    if (drops.length > 0) await writeTogether([whileAtStep(programId, batch.id, 'SETTLING'), ...drops]);
    return next;
  },
];

export const hasDroppedPayouts = async (programId: string, batchId: string): Promise<boolean> => {
  for await (const { isDropped } of allPayouts(programId, batchId)) if (isDropped) return true;
  return false;
};
