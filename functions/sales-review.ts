import { saleReviewOperations } from '../shared/contract/sale-review.ts';
import { reviewSale } from '../shared/domain/sales/review-sale.ts';
import { saleResponse } from '../shared/domain/sales/rules.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(saleReviewOperations, {
  reviewSale: async ({ program, body, now }) => saleResponse(await reviewSale(program.id, body, now), program),
});
