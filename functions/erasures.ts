import { erasureOperations } from '../shared/contract/erasures.ts';
import { erasureResponse, readErasure, startErasure } from '../shared/domain/privacy/start-erasure.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(erasureOperations, {
  createErasure: async ({ program, body, idempotency, now }) =>
    erasureResponse(await startErasure(program.id, body.email, now, idempotency)),
  readErasure: async ({ program, parameters }) => erasureResponse(await readErasure(program.id, parameters.id.value)),
});
