import { writeTogether } from '../../../platform/table/transaction.ts';
import { moveParts } from '../parts/move-parts.ts';
import { adjustmentParts, type Part, type PartKind, partsInOneMessage, saleParts } from '../parts/parts.ts';
import { NotAllSeen, type Phase } from '../parts/phase.ts';
import { incrementPayoutWrite, pageOfPayouts } from '../payouts.ts';
import type { StoredPayoutBatch } from '../rules.ts';
import { leaving } from '../unpaid.ts';
import { createCodes } from './codes.ts';
import { mailPayouts } from './mails.ts';

const payPage =
  <Stored extends Part>(programId: string, batch: StoredPayoutBatch, kind: PartKind<Stored>, now: Date): Phase =>
  async (after) => {
    const page = await kind.store.page(programId, { limit: partsInOneMessage, after }, kind.inBatch(batch.id));
    await moveParts(programId, kind, page.items, {
      select: async (parts) =>
        parts.filter(({ payoutBatchId, paidAt }) => payoutBatchId === batch.id && paidAt === null),
      edit: (part) => ({ ...part, paidAt: batch.paidAt, updatedAt: now.toISOString() }),
      together: (affiliateId, parts) => [
        incrementPayoutWrite(programId, batch.id, affiliateId, { paidCount: parts.length }),
      ],
      guards: [],
    });
    return page.next;
  };

/** Throws NotAllSeen unless everything is stamped; then the affiliates are free. */
const finishPayouts =
  (programId: string, batchId: string): Phase =>
  async (after) => {
    const { payouts, next } = await pageOfPayouts(programId, batchId, { limit: 100, after });
    if (payouts.some(({ saleCount, adjustmentCount, paidCount }) => paidCount < saleCount + adjustmentCount))
      throw new NotAllSeen(`Payouts of batch ${batchId} have sales that are not paid yet`);
    if (payouts.length > 0)
      await writeTogether(payouts.map(({ affiliateId }) => leaving(programId, batchId, affiliateId)));
    return next;
  };

/** Codes come first, so that nothing is marked paid before its code exists. docs/behavior.md#paying-a-batch */
export const payPhases = (programId: string, batch: StoredPayoutBatch, now: Date): Phase[] => [
  ...(batch.couponId === null ? [] : [createCodes(programId, batch, batch.couponId, now)]),
  payPage(programId, batch, saleParts, now),
  payPage(programId, batch, adjustmentParts, now),
  finishPayouts(programId, batch.id),
  mailPayouts(programId, batch, now),
];
