import { ApiError } from '../contract/errors.ts';
import type { FunctionNameOf, Operation } from '../contract/operation.ts';
import { type IdempotencyContext, notIdempotent } from '../platform/table/idempotency-context.ts';
import { Page } from '../platform/table/page.ts';
import { RecordWithPage } from '../platform/table/paged-responses.ts';
import { type ApiEvent, type ApiState, routeFinder } from './api-request.ts';
import { authenticateCode, bearerTokenOf, type Grant, withKey } from './authenticate.ts';
import { checkBody, readBody } from './body.ts';
import type { HandlersOf, RequestProgram, ServedOperation } from './handlers.ts';
import { isInvalidInput, once } from './idempotency.ts';
import { readInput } from './input.ts';
import { parseQuery } from './parsing.ts';
import { type HttpResponse, methodOf, pathAndQueryOf, pipeline } from './pipeline.ts';
import { errorResponse, successResponse } from './respond.ts';
import { findMethod, type OneFunction, serve } from './route.ts';

const chooseOperation = (event: ApiEvent): void => {
  const method = methodOf(event);
  event.state.served = findMethod(
    event.state.route.operations,
    method,
    (allowed) => `${method} is not available on this path, only ${allowed}`,
  );
};

const respondToError = (error: ApiError, event: ApiEvent): HttpResponse =>
  errorResponse(error, methodOf(event), event.state.route.errorForm);

/** A refusal is kept for replay; a 5xx or invalid input is not. docs/behavior.md#idempotency-keys */
const refusalToKeep = (error: unknown, event: ApiEvent): HttpResponse => {
  if (error instanceof ApiError && error.status < 500 && !isInvalidInput(error)) return respondToError(error, event);
  throw error;
};

/** Operations without a key read no program. */
const nobody: RequestProgram = { id: '', currency: 'USD', commissionRate: 0 };

const recordIn = (found: unknown): unknown => {
  if (found instanceof RecordWithPage) return found.record;
  return found instanceof Page ? found.items[0] : found;
};

const runHandler = async (event: ApiEvent, idempotency: IdempotencyContext): Promise<HttpResponse> => {
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

const run = async (event: ApiEvent): Promise<HttpResponse> => {
  const { served, input, now, program = nobody, keyId = '' } = event.state;
  const method = methodOf(event);
  const idempotencyKey = event.headers['idempotency-key'];
  if (method === 'GET' || served?.declared.auth !== 'key' || idempotencyKey === undefined)
    return runHandler(event, notIdempotent);
  const request = {
    ...{ programId: program.id, keyId, apiKey: bearerTokenOf(event.headers) },
    ...{ endpoint: `${method} ${event.rawPath}`, idempotencyKey, content: [event.body, input?.query], now },
  };
  return once(request, (idempotency) =>
    runHandler(event, idempotency).catch((error: unknown) => refusalToKeep(error, event)),
  );
};

/** After the key, which is checked first. May run twice. See docs/behavior.md#order-of-checks */
const serveRequest = async (event: ApiEvent, grant?: Grant): Promise<HttpResponse> => {
  if (grant) Object.assign(event.state, { program: grant.program, keyId: grant.keyId });
  chooseOperation(event);
  checkBody(event);
  readBody(event);
  await authenticateCode(event);
  readInput(event);
  return run(event);
};

/** The Lambda of one path, on the connector too. A forgotten handler does not compile. */
export const apiPath = <const Operations extends readonly Operation[]>(
  operations: Operations & OneFunction<FunctionNameOf<Operations[number]['path']>>,
  handlers: HandlersOf<Operations>,
) => {
  const findRoute = routeFinder(serve<Operation, ServedOperation['handle']>(operations, handlers));
  return pipeline<ApiState>({
    begin: (request, event) => ({ ...request, route: findRoute(event) }),
    checks: [],
    handle: (event) => {
      const takesKey = event.state.route.operations.some(({ declared }) => declared.auth === 'key');
      return takesKey ? withKey(event, (grant) => serveRequest(event, grant)) : serveRequest(event);
    },
    respondToError,
  });
};
