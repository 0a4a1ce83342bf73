import { saleOperations } from '../shared/contract/sales.ts';
import { createSale } from '../shared/domain/sales/create-sale.ts';
import { deleteSale } from '../shared/domain/sales/delete-sale.ts';
import { findSale, listSales } from '../shared/domain/sales/list-sales.ts';
import { refundSale } from '../shared/domain/sales/refund-sale.ts';
import { saleResponse } from '../shared/domain/sales/rules.ts';
import { updateSale } from '../shared/domain/sales/update-sale.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';

export const handler = apiPath(saleOperations, {
  readSale: async ({ program, parameters }) => saleResponse(await findSale(program.id, parameters.id), program),
  listSales: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id', 'externalId', 'externalInvoiceId']);
    if (selector) return saleResponse(await findSale(program.id, selector), program);
    return (await listSales(program.id, query, page)).map((sale) => saleResponse(sale, program));
  },
  createSale: async ({ program, body, now, idempotency }) =>
    saleResponse(await createSale(program, body, now, idempotency), program),
  updateSale: async ({ program, body, expectedVersions, now }) =>
    saleResponse(await updateSale(program, body, expectedVersions, now), program),
  refundSale: async ({ program, body, expectedVersions, now, idempotency }) => {
    const { sale, alreadyRefunded } = await refundSale(program, body, expectedVersions, now, idempotency);
    const response = saleResponse(sale, program);
    return alreadyRefunded
      ? { ...response, message: 'The sale was refunded in full before: nothing changed' }
      : response;
  },
  deleteSale: async ({ program, body, expectedVersions, now }) => {
    const sale = await deleteSale(program.id, body.saleId, expectedVersions, now);
    return { message: 'Sale deleted', deletedSale: { id: Number(sale.id) } };
  },
});
