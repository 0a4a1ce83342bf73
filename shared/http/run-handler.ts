import type { ApiError } from '../contract/errors.ts';
import type { IdempotencyContext } from '../platform/table/idempotency-context.ts';
import { Page } from '../platform/table/page.ts';
import { RecordWithPage } from '../platform/table/paged-responses.ts';
import type { ApiEvent } from './api-request.ts';
import type { RequestProgram } from './handlers.ts';
import { parseQuery } from './parsing.ts';
import { type HttpResponse, methodOf, pathAndQueryOf } from './pipeline.ts';
import { errorResponse, successResponse } from './respond.ts';
import { findMethod } from './route.ts';

export const chooseOperation = (event: ApiEvent): void => {
  const method = methodOf(event);
  event.state.served = findMethod(
    event.state.route.operations,
    method,
    (allowed) => `${method} is not available on this path, only ${allowed}`,
  );
};

export const respondToError = (error: ApiError, event: ApiEvent): HttpResponse =>
  errorResponse(error, methodOf(event), event.state.route.errorForm);

/** Operations without a key read no program. */
const nobody: RequestProgram = { id: '', currency: 'USD', commissionRate: 0, timeZone: 'UTC', reviewsSales: false };

const recordIn = (found: unknown): unknown => {
  if (found instanceof RecordWithPage) return found.record;
  return found instanceof Page ? found.items[0] : found;
};

export const runHandler = async (event: ApiEvent, idempotency: IdempotencyContext): Promise<HttpResponse> => {
  const { served, input, route, now, program = nobody, keyId = '' } = event.state;
  if (!served || !input) throw new Error('No operation was chosen');
  const { scope, ...given } = input;
  const operation = served.declared;
  const address = { path: pathAndQueryOf(event), scope, headers: event.headers };
  const request = { ...given, program, keyId, idempotency, basePath: route.basePath, now };
  // An interrupted run's record is returned as GET would, not created again.
  const reader = operation.needs.includes('IDEMPOTENCY:read')
    ? route.operations.find(({ declared }) => declared.method === 'GET')
    : undefined;
  const recordId = reader && (await idempotency.existingRecordId());
  if (!recordId) return successResponse(operation, await served.handle(request), address);
  const query = parseQuery(reader.declared.query, `id=${recordId}`);
  return successResponse(operation, recordIn(await reader.handle({ ...request, query, body: {} })), address);
};
