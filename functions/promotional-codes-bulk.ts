import { bulkCodeOperations } from '../shared/contract/promotional-codes.ts';
import { createPromotionalCodes } from '../shared/domain/promotional-codes/create-many.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(bulkCodeOperations, {
  createPromotionalCodes: async ({ program, body, now, idempotency }) => ({
    results: await createPromotionalCodes(program, body.promotionalCodes, now, idempotency),
  }),
});
