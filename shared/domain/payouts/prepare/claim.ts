import { ConcurrentModificationError } from '../../../platform/table/keys.ts';
import { affiliates } from '../../affiliates/repository.ts';
import { openAdjustments } from '../../sales/adjustments.ts';
import { isDue, pageOfDueSales } from '../../sales/payable-sales.ts';
import { type Move, moveParts } from '../parts/move-parts.ts';
import { adjustmentParts, type Part, type PartKind, partsInOneMessage, saleParts, worthOf } from '../parts/parts.ts';
import type { Phase } from '../parts/phase.ts';
import { incrementPayoutWrite, payoutsOf } from '../payouts.ts';
import { whileAtStep } from '../repository.ts';
import type { StoredPayoutBatch } from '../rules.ts';
import { joining } from '../unpaid.ts';

const affiliateIdsOf = (parts: readonly Part[]): string[] => parts.flatMap((part) => part.affiliateId ?? []);

const ofWantedAffiliates = async <Stored extends Part>(
  programId: string,
  batch: StoredPayoutBatch,
  parts: readonly Stored[],
): Promise<Stored[]> => {
  const wanted = batch.affiliateIds && new Set(batch.affiliateIds);
  const listed = parts.filter(({ affiliateId }) => affiliateId !== null && (!wanted || wanted.has(affiliateId)));
  const byId = await affiliates.getMany(programId, affiliateIdsOf(listed));
  return listed.filter(({ affiliateId }) => {
    const affiliate = byId.get(affiliateId ?? '');
    return affiliate && (!batch.paymentMethod || affiliate.paymentMethod === batch.paymentMethod);
  });
};

const claiming = <Stored extends Part>(
  programId: string,
  batch: StoredPayoutBatch,
  kind: PartKind<Stored>,
  now: Date,
): Move<Stored> => ({
  select: (parts) => ofWantedAffiliates(programId, batch, parts.filter(kind.isOpen)),
  edit: (part) => ({ ...part, payoutBatchId: batch.id, updatedAt: now.toISOString() }),
  together: (affiliateId, parts) => {
    const sums = { amountMinor: worthOf(kind, parts), [kind.counter]: parts.length };
    return [
      incrementPayoutWrite(programId, batch.id, affiliateId, sums, { opens: true }),
      joining(programId, batch.id, affiliateId),
      affiliates.existsCheck(
        programId,
        affiliateId,
        () => new ConcurrentModificationError(`Affiliate ${affiliateId} is gone`),
      ),
    ];
  },
  guards: [whileAtStep(programId, batch.id, 'CLAIMING')],
});

const claimSales =
  (programId: string, batch: StoredPayoutBatch, now: Date): Phase =>
  async (after) => {
    const page = await pageOfDueSales(programId, batch, { limit: partsInOneMessage, after });
    const move = claiming(programId, batch, saleParts, now);
    await moveParts(programId, saleParts, page.items, {
      ...move,
      select: (parts) => move.select(parts.filter((sale) => isDue(sale, batch))),
    });
    return page.next;
  };

/** Only of affiliates with sales in the batch: others stay in debt. */
const claimAdjustments =
  (programId: string, batch: StoredPayoutBatch, now: Date): Phase =>
  async (after) => {
    const move = claiming(programId, batch, adjustmentParts, now);
    const page = await adjustmentParts.store.page(programId, { limit: partsInOneMessage, after }, openAdjustments);
    await moveParts(programId, adjustmentParts, page.items, {
      ...move,
      select: async (parts) => {
        const payouts = await payoutsOf(programId, batch.id, affiliateIdsOf(parts));
        return move.select(parts.filter(({ affiliateId }) => payouts.has(affiliateId)));
      },
    });
    return page.next;
  };

/** Each part joins the batch in the transaction that adds it to its payout. docs/behavior.md#payout-batches */
export const claimPhases = (programId: string, batch: StoredPayoutBatch, now: Date): Phase[] => [
  claimSales(programId, batch, now),
  claimAdjustments(programId, batch, now),
];
