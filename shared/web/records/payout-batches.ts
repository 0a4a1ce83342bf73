import { type payoutBatchPages, showPayoutBatch, showPayoutBatches } from '../../contract/pages/payout-batches.ts';
import { createPayoutBatch, newPayoutBatch } from '../../domain/payouts/create-payout-batch.ts';
import { deletePayoutBatch } from '../../domain/payouts/delete-payout-batch.ts';
import { previewPayouts } from '../../domain/payouts/preview.ts';
import { batchesWithStatus, payoutBatches } from '../../domain/payouts/repository.ts';
import { findBatchWithPayouts, findPayoutBatch, payoutsWithAffiliates } from '../../domain/payouts/responses.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import { updatePayoutBatch } from '../../domain/payouts/update-payout-batch.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { unfilled } from '../controls.tsx';
import { csvDownload, everyPage } from '../csv-download.ts';
import { withFlash } from '../flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { listPart, rangeOf } from '../list-part.ts';
import { newPayoutView, payoutPreviewView } from '../pages/new-payout.tsx';
import { paymentView, payoutBatchDeletionView, payoutBatchView } from '../pages/payout-batch.tsx';
import { batchCsvColumns, payoutBatchesPath, payoutBatchesView, payoutBatchPath } from '../pages/payout-batches.tsx';
import { isPaidBy, payoutFileColumns } from '../payout-files.ts';
import { redirect } from '../responses.ts';

const listBatches = (programId: string, status: StoredPayoutBatch['status'] | undefined, request: PageRequest) =>
  payoutBatches.page(programId, request, status && batchesWithStatus(status));

const payoutPage = async (programId: string, batch: StoredPayoutBatch, request: PageRequest) => {
  const { entries, next } = await payoutsWithAffiliates(programId, batch, request);
  return new Page(
    entries.map((item) => ({ item, position: item.payout.affiliateId })),
    next,
  );
};

export const payoutBatchHandlers: PageHandlersOf<typeof payoutBatchPages> = {
  showPayoutBatches: async ({ program, query }) => {
    const part = listPart(showPayoutBatches, program.id, payoutBatchesPath(program.id), query);
    return payoutBatchesView(program.id, query, part, await listBatches(program.id, query.status, part.request));
  },

  downloadPayoutBatches: ({ program, query }) =>
    csvDownload(
      'payout-batches',
      batchCsvColumns,
      everyPage(rangeOf(query), (request) => listBatches(program.id, query.status, request)),
    ),

  showNewPayoutBatch: ({ session, program }) => newPayoutView({ session, program }, unfilled),

  previewPayoutBatch: {
    submit: async ({ session, program, form, entered, now }) => {
      const batch = newPayoutBatch(program.currency, form, now);
      return payoutPreviewView({ session, program }, batch, await previewPayouts(program.id, batch), entered);
    },
    showAgain: ({ session, program }, filled) => newPayoutView({ session, program }, filled),
  },

  addPayoutBatch: {
    submit: async ({ program, form, now }) => {
      const { id } = await createPayoutBatch(program, form, now);
      return redirect(payoutBatchPath(program.id, id));
    },
    showAgain: ({ session, program }, filled) => newPayoutView({ session, program }, filled),
  },

  showPayoutBatch: async ({ program, parameters: { payoutBatchId }, query }) => {
    const part = listPart(showPayoutBatch, program.id, payoutBatchPath(program.id, payoutBatchId), query);
    const { batch, ...payouts } = await findBatchWithPayouts(program.id, payoutBatchId, part.request);
    return payoutBatchView(program.id, batch, part, payouts);
  },

  downloadPayouts: async ({ program, parameters, query: { format } }) => {
    const batch = await findPayoutBatch(program.id, parameters.payoutBatchId);
    const pages = everyPage({}, (request) => payoutPage(program.id, batch, request));
    return csvDownload(`payouts-${format}`, payoutFileColumns(batch, format), isPaidBy(format, pages));
  },

  confirmPayment: async ({ session, program, parameters }) =>
    paymentView(session, program.id, await findPayoutBatch(program.id, parameters.payoutBatchId)),

  markAsPaid: async ({ program, parameters: { payoutBatchId }, now }) => {
    await updatePayoutBatch(program.id, { payoutBatchId, status: 'PAID' }, undefined, now);
    return redirect(withFlash(payoutBatchPath(program.id, payoutBatchId), 'batch-paid'));
  },

  confirmPayoutBatchDeletion: async ({ session, program, parameters }) =>
    payoutBatchDeletionView(session, program.id, await findPayoutBatch(program.id, parameters.payoutBatchId)),

  removePayoutBatch: async ({ program, parameters, now }) => {
    await deletePayoutBatch(program.id, parameters.payoutBatchId, undefined, now);
    return redirect(withFlash(payoutBatchesPath(program.id), 'batch-deleted'));
  },
};
