import { recordPages, showPayoutBatch, showPayoutBatches } from '../shared/contract/pages/records.ts';
import { batchesWithStatus, payoutBatches } from '../shared/domain/payouts/repository.ts';
import { findPayoutBatch, payoutsWithAffiliates } from '../shared/domain/payouts/responses.ts';
import { listPart } from '../shared/web/list-part.ts';
import { payoutBatchesPath, payoutBatchesView, payoutBatchView } from '../shared/web/pages/payout-batches.tsx';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(recordPages, {
  showPayoutBatches: async ({ program, query }) => {
    const part = listPart(showPayoutBatches, program.id, payoutBatchesPath(program.id), query);
    const { status } = query;
    const found = await payoutBatches.page(program.id, part.request, status && batchesWithStatus(status));
    return payoutBatchesView(program, query, part, found);
  },

  showPayoutBatch: async ({ program, parameters: { payoutBatchId }, query }) => {
    const path = `${payoutBatchesPath(program.id)}/${payoutBatchId}`;
    const part = listPart(showPayoutBatch, program.id, path, query);
    const batch = await findPayoutBatch(program.id, payoutBatchId);
    return payoutBatchView(program, batch, part, await payoutsWithAffiliates(program.id, batch, part.request));
  },
});
