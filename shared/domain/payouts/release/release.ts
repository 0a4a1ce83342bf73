import { retryOnConflict } from '../../../platform/table/edit.ts';
import { type Write, writeTogether } from '../../../platform/table/transaction.ts';
import { adjustments, openAdjustments, type StoredAdjustment } from '../../sales/adjustments.ts';
import { sales } from '../../sales/repository.ts';
import { adjustedMinor } from '../../sales/rules.ts';
import { moveParts } from '../parts/move-parts.ts';
import { adjustmentParts, type Part, type PartKind, partsInOneMessage, saleParts, worthOf } from '../parts/parts.ts';
import { NotAllSeen, type Phase } from '../parts/phase.ts';
import {
  deleteEmptyPayoutWrite,
  incrementPayoutWrite,
  pageOfPayouts,
  payoutsOf,
  type StoredPayout,
} from '../payouts.ts';
import { whileAtStep } from '../repository.ts';
import { leaving } from '../unpaid.ts';

const foldsInOneMessage = 50;

interface Release {
  programId: string;
  batchId: string;
  isReleased: (payout: StoredPayout) => boolean;
  guards: readonly Write[];
  now: Date;
}

const releasePage =
  <Stored extends Part>(release: Release, kind: PartKind<Stored>): Phase =>
  async (after) => {
    const { programId, batchId, isReleased, guards, now } = release;
    const page = await kind.store.page(programId, { limit: partsInOneMessage, after }, kind.inBatch(batchId));
    await moveParts(programId, kind, page.items, {
      select: async (parts) => {
        const inBatch = parts.filter(({ payoutBatchId, paidAt }) => payoutBatchId === batchId && paidAt === null);
        const affiliateIds = inBatch.flatMap(({ affiliateId }) => affiliateId ?? []);
        const payouts = await payoutsOf(programId, batchId, affiliateIds);
        return inBatch.filter(({ affiliateId }) => {
          const payout = payouts.get(affiliateId ?? '');
          return payout && isReleased(payout);
        });
      },
      edit: (part) => ({ ...part, payoutBatchId: null, updatedAt: now.toISOString() }),
      together: (affiliateId, parts) => {
        const sums = { amountMinor: -worthOf(kind, parts), [kind.counter]: -parts.length };
        return [incrementPayoutWrite(programId, batchId, affiliateId, sums)];
      },
      guards,
    });
    return page.next;
  };

/** After a release, open adjustments become refunds on the sale; one that the index lacks stays: same sum. */
const foldAdjustments =
  ({ programId, guards, now }: Release): Phase =>
  async (after) => {
    const page = await adjustments.page(programId, { limit: foldsInOneMessage, after }, openAdjustments);
    const fold = ({ id, saleId }: StoredAdjustment) =>
      retryOnConflict(async () => {
        const [adjustment, sale] = await Promise.all([adjustments.get(programId, id), sales.get(programId, saleId)]);
        if (!adjustment || !sale || adjustment.payoutBatchId !== null || sale.payoutBatchId !== null) return;
        const { amountMinor } = adjustment;
        // A positive adjustment makes up for a deleted sale and belongs to none.
        if (amountMinor > 0 || adjustedMinor(sale) < -amountMinor) return;
        const commissionEarnedMinor = sale.commissionEarnedMinor + amountMinor;
        await writeTogether([
          ...guards,
          ...adjustments.deleteWrites(programId, adjustment),
          ...sales.updateWrites(programId, sale, { ...sale, commissionEarnedMinor, updatedAt: now.toISOString() }),
        ]);
      });
    // In sequence, because a sale may have several.
    for (const adjustment of page.items) await fold(adjustment);
    return page.next;
  };

/** Throws NotAllSeen if a payout still holds parts. */
const removeEmptyPayouts =
  ({ programId, batchId, isReleased, guards }: Release): Phase =>
  async (after) => {
    const { payouts, next } = await pageOfPayouts(programId, batchId, { limit: 40, after });
    const released = payouts.filter(isReleased);
    if (released.some(({ saleCount, adjustmentCount }) => saleCount + adjustmentCount > 0))
      throw new NotAllSeen(`Payouts of batch ${batchId} still have sales`);
    const removals = released.flatMap(({ affiliateId }) => [
      deleteEmptyPayoutWrite(programId, batchId, affiliateId),
      leaving(programId, batchId, affiliateId),
    ]);
    if (removals.length > 0) await writeTogether([...guards, ...removals]);
    return next;
  };

const phasesOf = (release: Release): Phase[] => [
  releasePage(release, saleParts),
  releasePage(release, adjustmentParts),
  foldAdjustments(release),
  removeEmptyPayouts(release),
];

export const releaseDroppedPhases = (programId: string, batchId: string, now: Date): Phase[] =>
  phasesOf({
    programId,
    batchId,
    isReleased: ({ isDropped }) => isDropped,
    guards: [whileAtStep(programId, batchId, 'RELEASING')],
    now,
  });

/** Claims have ended by now, because they need the batch. */
export const releaseAllPhases = (programId: string, batchId: string, now: Date): Phase[] =>
  phasesOf({ programId, batchId, isReleased: () => true, guards: [], now });
