import { salePreviewOperations } from '../shared/contract/sale-preview.ts';
import { previewResponse, previewSale } from '../shared/domain/sales/preview-sale.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(salePreviewOperations, {
  previewSale: async ({ program, body, now }) =>
    previewResponse(await previewSale(program, body, now), program.currency),
});
