import { recordPages, showPayoutBatch, showPayoutBatches, showSales } from '../shared/contract/pages/records.ts';
import { affiliates } from '../shared/domain/affiliates/repository.ts';
import { batchesWithStatus, payoutBatches } from '../shared/domain/payouts/repository.ts';
import { findPayoutBatch, payoutsWithAffiliates } from '../shared/domain/payouts/responses.ts';
import { listSales, salesByReference } from '../shared/domain/sales/list-sales.ts';
import { Page } from '../shared/platform/table/page.ts';
import { listPart } from '../shared/web/list-part.ts';
import { payoutBatchesPath, payoutBatchesView, payoutBatchView } from '../shared/web/pages/payout-batches.tsx';
import { salesView } from '../shared/web/pages/sales.tsx';
import { webArea } from '../shared/web/web.ts';

/** What was sought by a value that one record has: that record, or nothing. */
const pageOf = <Item extends { id: string }>(items: readonly Item[]): Page<Item> =>
  new Page(
    items.map((item) => ({ item, position: item.id })),
    undefined,
  );

export const handler = webArea(recordPages, {
  showSales: async ({ program, query }) => {
    const part = listPart(showSales, program.id, `/programs/${program.id}/sales`, query);
    const { reference, affiliateEmail, status } = query;
    const found = reference
      ? pageOf(await salesByReference(program.id, reference))
      : await listSales(program.id, { affiliateEmail, status }, part.request);
    const credited = found.items.flatMap(({ affiliateId }) => affiliateId ?? []);
    const byId = await affiliates.getManyEvenDeleted(program.id, credited);
    return salesView(program, query, part, found, byId);
  },

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
