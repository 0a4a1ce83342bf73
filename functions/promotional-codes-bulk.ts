import * as contract from '../shared/contract/promotional-codes.ts';
import { createPromotionalCodes } from '../shared/domain/promotional-codes/create-many.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';

export const handler = apiPath(
  serve(contract.createPromotionalCodes, async ({ program, body, now, repetition }) => ({
    results: await createPromotionalCodes(program, body.promotionalCodes, now, repetition),
  })),
);
