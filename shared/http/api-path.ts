import middy, { type MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { apiBasePath } from '../contract/base-paths.ts';
import { connectorVariant } from '../contract/connector.ts';
import { ApiError, fieldError } from '../contract/errors.ts';
import { countedPathOf, type Operation } from '../contract/operation.ts';
import { type IdempotencyContext, notIdempotent } from '../platform/table/idempotency-context.ts';
import { Page, type PageRequest } from '../platform/table/page.ts';
import { RecordWithPage } from '../platform/table/paged-responses.ts';
import { unavailableErrorFor, withRetryDeadline } from '../platform/table/retry-transient.ts';
import { prefersCsv } from './accept.ts';
import { authenticate, bearerTokenOf } from './authentication.ts';
import { respondWithArrays } from './connector-variant.ts';
import { decodeCursor } from './cursor.ts';
import { type HandlersOf, type RequestProgram, type Served, type ServedByOneFunction, serve } from './handlers.ts';
import { isInvalidInput, once } from './idempotency.ts';
import { formFields } from './lenient-input.ts';
import { logFailure } from './log.ts';
import { maxBodyBytes, parseBody, parseLenientBody, parseQuery } from './parsing.ts';
import { type ErrorForm, errorResponse, rateLimitHeaders, successResponse } from './responses.ts';

const variantOf = ({ operation, handle }: Served): Served[] => {
  const variant = connectorVariant(operation);
  return variant ? [{ operation: variant, handle: variant.lists ? respondWithArrays(handle) : handle }] : [];
};

interface Route {
  basePath: string;
  path: string;
  served: readonly Served[];
  /** See docs/behavior.md#rate-limits */
  countedPath: string;
  errorForm: ErrorForm;
}

const routeFinder = (served: readonly Served[]): ((event: Event) => Route) => {
  const onConnector = served.flatMap((one) => (one.operation.surface === 'connector' ? [one] : variantOf(one)));
  return ({ routeKey }) => {
    const [, basePath = apiBasePath, path = ''] = /^\w+ (\/api\/[^/]+)(\/.*)$/.exec(routeKey) ?? [];
    const isMain = basePath === apiBasePath;
    const here = (isMain ? served : onConnector).filter(({ operation }) => operation.path === path);
    const errorFields = Object.assign({}, ...here.map(({ operation }) => operation.errorFields));
    const declared = served.find(({ operation }) => operation.path === path)?.operation;
    const countedPath = declared ? countedPathOf(declared) : path;
    const errorForm: ErrorForm = isMain ? {} : { surface: 'connector', errorFields };
    return { basePath, path, served: here, countedPath, errorForm };
  };
};

interface State {
  now: Date;
  headers: Record<string, string>;
  route: Route;
  served?: Served;
  isForm?: boolean;
  program?: RequestProgram;
  keyId?: string;
}

type Event = Omit<APIGatewayProxyEventV2, 'body'> & { body?: unknown; state: State };
type Middleware = MiddlewareObj<Event, APIGatewayProxyStructuredResultV2>;

const methodOf = (event: Event): string => event.requestContext.http.method;

const isJsonParserError = (error: unknown): error is Error =>
  error instanceof Error &&
  error.cause instanceof Object &&
  'package' in error.cause &&
  error.cause.package === '@middy/http-json-body-parser';

const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  if (isJsonParserError(error)) {
    return error.message.startsWith('Forbidden key')
      ? new ApiError('bad_request', 'The body has a key that is not allowed, such as __proto__')
      : new ApiError('bad_request', 'The body is missing or is not valid JSON');
  }
  return unavailableErrorFor(error) ?? new ApiError('internal', undefined, { cause: error });
};

/** The outermost middleware: maps errors and adds the headers of every response. */
const respondToErrors = (findRoute: (event: Event) => Route): Middleware => {
  const finish: NonNullable<Middleware['after']> = ({ response, event }) => {
    if (!response) return;
    const { headers } = event.state;
    response.headers = { ...response.headers, ...headers, 'x-request-id': event.requestContext.requestId };
  };
  return {
    before: ({ event }) => {
      event.state = { now: new Date(), headers: {}, route: findRoute(event) };
    },
    after: finish,
    onError: (request) => {
      const error = toApiError(request.error);
      if (error.status >= 500) logFailure(error, request.event.requestContext);
      request.response = errorResponse(error, methodOf(request.event), request.event.state.route.errorForm);
      finish(request);
    },
  };
};

const admit = async (event: Event, token: string): Promise<'API' | 'CONNECTOR'> => {
  const { now, route } = event.state;
  const { sourceIp, method } = event.requestContext.http;
  const access = await authenticate({ token, sourceIp, method, path: route.countedPath, now });
  if (access.usage) event.state.headers = rateLimitHeaders(access.usage);
  if (access.kind === 'refused') throw access.error;
  event.state.program = access.program;
  event.state.keyId = access.keyId;
  return access.keyKind;
};

/** See docs/behavior.md#order-of-checks */
const authenticateRequest = (): Middleware => ({
  before: async ({ event }) => {
    if (event.state.route.served.some(({ operation }) => operation.auth === 'key'))
      await admit(event, bearerTokenOf(event.headers));
  },
});

/** See docs/behavior.md#connecting-a-platform */
const authenticateCode = async (event: Event, body: unknown): Promise<void> => {
  const code = body instanceof Object && 'code' in body ? body.code : undefined;
  if (code === undefined || code === '') throw new ApiError('code_required');
  if (typeof code !== 'string') throw fieldError('code', 'code must be a string');
  const kind = await admit(event, code).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'invalid_token' ? new ApiError('invalid_code') : error;
  });
  if (kind !== 'CONNECTOR') throw new ApiError('invalid_code');
};

const bodyBytes = ({ body, isBase64Encoded }: Event): number =>
  typeof body === 'string' ? (isBase64Encoded ? body.length * 0.75 : Buffer.byteLength(body)) : 0;

const saysJson = ({ headers }: Event): boolean => /^application\/(.+\+)?json($|;)/i.test(headers['content-type'] ?? '');

const saysForm = ({ headers }: Event): boolean =>
  /^application\/x-www-form-urlencoded($|;)/i.test(headers['content-type'] ?? '');

const checkBody = (event: Event, isConnector: boolean): void => {
  if (bodyBytes(event) > maxBodyBytes) throw new ApiError('body_too_large');
  if (event.body === undefined || saysJson(event)) return;
  if (!isConnector) throw new ApiError('unsupported_media_type');
  if (!saysForm(event)) throw new ApiError('unsupported_media_type', 'Send the body as JSON or as an URL-encoded form');
  event.state.isForm = true;
};

const chooseOperation = (): Middleware => ({
  before: ({ event }) => {
    const method = methodOf(event);
    const { served, errorForm } = event.state.route;
    const found = served.find(({ operation }) => operation.method === method);
    if (!found) {
      const allow = served.map(({ operation }) => operation.method).join(', ');
      throw new ApiError('method_not_allowed', `${method} is not available on this path, only ${allow}`, {
        headers: { allow },
      });
    }
    event.state.served = found;
    const isConnector = errorForm.surface === 'connector';
    if (found.operation.body) checkBody(event, isConnector);
    // Platforms send no body if everything is in the query.
    if (!found.operation.body || (isConnector && event.body === undefined)) event.body = {};
  },
});

const readBody = (): Middleware => {
  // The parser's types do not know an event whose body was parsed.
  const { before: parseJson } = httpJsonBodyParser({ disableContentTypeError: true }) as unknown as Middleware;
  return {
    before: (request) => {
      const { event } = request;
      if (event.body instanceof Object) return;
      if (!event.state.isForm) return parseJson?.(request);
      const text = String(event.body);
      event.body = formFields(event.isBase64Encoded ? Buffer.from(text, 'base64').toString() : text);
    },
  };
};

const pathOf = ({ rawPath, rawQueryString }: Event): string =>
  rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath;

const etagList = /^\s*(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*\s*$/;

/** Undefined accepts any version; an empty list none. docs/behavior.md#etags */
const expectedVersionsOf = (ifMatch: string | undefined): readonly number[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  if (!etagList.test(ifMatch)) return [];
  // A weak ETag never matches.
  return [...ifMatch.matchAll(/(?<!W\/)"([^"]*)"(?=\s*(?:,|$))/g)].flatMap(([, tag = '']) =>
    /^\d{1,15}$/.test(tag) ? Number(tag) : [],
  );
};

const textOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A refusal is kept for replay; a 5xx or invalid input is not. docs/behavior.md#idempotency-keys */
const refusalToKeep = (error: unknown, method: string, form: ErrorForm): APIGatewayProxyStructuredResultV2 => {
  if (error instanceof ApiError && error.status < 500 && !isInvalidInput(error))
    return errorResponse(error, method, form);
  throw error;
};

const parametersOf = ({ parameters }: Operation, given: Record<string, string | undefined> = {}): unknown => {
  if (!parameters) return {};
  const result = parameters.safeParse(given);
  if (!result.success) throw new ApiError('not_found', result.error.issues[0]?.message);
  return result.data;
};

const inputOf = (operation: Operation, event: Event): { query: Record<string, unknown>; body: unknown } => {
  const { surface, query: schema, body: bodySchema, connector } = operation;
  if (surface !== 'connector') {
    const query = parseQuery(schema, event.rawQueryString);
    return { query, body: bodySchema ? parseBody(bodySchema, event.body) : {} };
  }
  const query: Record<string, unknown> = parseQuery(schema, event.rawQueryString, 'lenient');
  const given = connector?.selectors.filter((name) => query[name] !== undefined) ?? [];
  const selected = Object.fromEntries(given.map((name) => [name, query[name]]));
  return { query, body: bodySchema ? parseLenientBody(bodySchema, event.body, selected) : {} };
};

/** Operations without a key read no program. */
const nobody: RequestProgram = { id: '', currency: 'USD', commissionRate: 0 };

const recordIn = (found: unknown): unknown => {
  if (found instanceof RecordWithPage) return found.record;
  return found instanceof Page ? found.items[0] : found;
};

const run = async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
  const { served, route, now } = event.state;
  if (!served) throw new Error('No operation was chosen');
  const { operation, handle } = served;
  if (operation.auth === 'code') await authenticateCode(event, event.body);
  const { program = nobody, keyId = '' } = event.state;
  const parameters = parametersOf(operation, event.pathParameters);
  const { query, body } = inputOf(operation, event);
  const { limit, cursor, ...filters } = query;
  const scope = { programId: program.id, operationId: operation.id, filters };
  const page: PageRequest = {
    limit: typeof limit === 'number' ? limit : 0,
    after: typeof cursor === 'string' ? decodeCursor(scope, cursor) : undefined,
    createdAfter: textOrUndefined(query.createdAfter),
    createdBefore: textOrUndefined(query.createdBefore),
    updatedAfter: textOrUndefined(query.updatedAfter),
  };
  const expectedVersions = expectedVersionsOf(event.headers['if-match']);
  const wantsCsv = operation.csv === true && prefersCsv(event.headers.accept);
  const address = { path: pathOf(event), scope, headers: event.headers };
  const { basePath } = route;
  const common = { program, keyId, parameters, page, expectedVersions, wantsCsv, basePath, now };
  const response = async (idempotency: IdempotencyContext) => {
    // An interrupted run's record is returned as GET would, not created again.
    const notes = operation.needs.includes('IDEMPOTENCY:read');
    const reader = notes ? route.served.find((one) => one.operation.method === 'GET') : undefined;
    const madeId = reader && (await idempotency.existingRecordId());
    if (!madeId) return successResponse(operation, await handle({ ...common, idempotency, query, body }), address);
    const itself = parseQuery(reader.operation.query, `id=${madeId}`);
    const found = await reader.handle({ ...common, idempotency, query: itself, body: {} });
    return successResponse(operation, recordIn(found), address);
  };
  const idempotencyKey = event.headers['idempotency-key'];
  if (operation.method === 'GET' || operation.auth !== 'key' || idempotencyKey === undefined)
    return response(notIdempotent);
  const endpoint = `${operation.method} ${event.rawPath}`;
  const apiKey = bearerTokenOf(event.headers);
  const content = [event.body, query];
  const request = { programId: program.id, keyId, apiKey, endpoint, idempotencyKey, content, now };
  return once(request, (idempotency) =>
    response(idempotency).catch((error: unknown) => refusalToKeep(error, operation.method, route.errorForm)),
  );
};

/** The Lambda of one path (API Gateway payload 2.0), on the connector too. A forgotten handler does not compile. */
export const apiPath = <const Operations extends readonly Operation[]>(
  operations: Operations & ServedByOneFunction<Operations>,
  handlers: HandlersOf<Operations>,
) =>
  middy<Event, APIGatewayProxyStructuredResultV2>()
    .use(respondToErrors(routeFinder(serve(operations, handlers))))
    .use(authenticateRequest())
    .use(chooseOperation())
    .use(readBody())
    .handler((event) => withRetryDeadline(() => run(event)));
