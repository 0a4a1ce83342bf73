import { bulkCodeOperations } from '../shared/contract/promotional-codes.ts';
import { createPromotionalCodesInBulk } from '../shared/domain/promotional-codes/create-many.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(bulkCodeOperations, {
  createPromotionalCodesInBulk: async ({ program, body, now, idempotency }) => ({
    results: await createPromotionalCodesInBulk(program, body.promotionalCodes, now, idempotency),
  }),
});
