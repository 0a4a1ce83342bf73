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

interface PayoutPage {
  limit: number;
  after?: string | undefined;
  wantsCsv: boolean;
}

const readOne = async (programId: string, id: string, { limit, after, wantsCsv }: PayoutPage) => {
  const batch = await findPayoutBatch(programId, id);
  return wantsCsv ? payoutsCsv(programId, batch, after) : batchWithPayouts(programId, batch, { limit, after });
};

export const handler = apiPath(payoutBatchOperations, {
  readPayoutBatch: ({ program, parameters, page, wantsCsv }) =>
    readOne(program.id, parameters.id.value, { ...page, wantsCsv }),
  listPayoutBatches: async ({ program, query, page, wantsCsv }) => {
    // With an id the cursor is one of the batch's payouts.
    if (selectorOf({ ...query, cursor: undefined }, ['id']) && query.id)
      return readOne(program.id, query.id, { limit: query.limit ?? 100, after: page.after, wantsCsv });
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
