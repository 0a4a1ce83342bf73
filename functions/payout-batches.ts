import { payoutBatchOperations } from '../shared/contract/payout-batches.ts';
import { createPayoutBatch } from '../shared/domain/payouts/create-payout-batch.ts';
import { payoutsCsv } from '../shared/domain/payouts/csv.ts';
import { deletePayoutBatch } from '../shared/domain/payouts/delete-payout-batch.ts';
import { batchesWithStatus, payoutBatches } from '../shared/domain/payouts/repository.ts';
import { batchWithPayouts, findPayoutBatch } from '../shared/domain/payouts/responses.ts';
import { payoutBatchResponse } from '../shared/domain/payouts/rules.ts';
import { updatePayoutBatch } from '../shared/domain/payouts/update-payout-batch.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';

export const handler = apiPath(payoutBatchOperations, {
  listPayoutBatches: async ({ program, query, page, wantsCsv }) => {
    // With an id the cursor is one of the batch's payouts.
    if (selectorOf({ ...query, cursor: undefined }, ['id']) && query.id) {
      const batch = await findPayoutBatch(program.id, query.id);
      if (wantsCsv) return payoutsCsv(program.id, batch, page.after);
      return batchWithPayouts(program.id, batch, { limit: query.limit ?? 100, after: page.after });
    }
    const request = { ...page, limit: query.limit ?? 50 };
    const found = await payoutBatches.page(program.id, request, query.status && batchesWithStatus(query.status));
    return found.map(payoutBatchResponse);
  },
  createPayoutBatch: async ({ program, body, now, idempotency }) =>
    payoutBatchResponse(await createPayoutBatch(program, body, now, idempotency)),
  updatePayoutBatch: async ({ program, body, expectedVersions, now }) =>
    payoutBatchResponse(await updatePayoutBatch(program.id, body, expectedVersions, now)),
  deletePayoutBatch: async ({ program, body, expectedVersions, now }) => {
    const { id, name } = await deletePayoutBatch(program.id, body.payoutBatchId, expectedVersions, now);
    return { message: 'Payout batch deleted', deletedPayoutBatch: { id, name } };
  },
});
