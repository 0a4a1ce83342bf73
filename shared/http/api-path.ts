import middy, { type MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { hashOfToken } from '../access/token.ts';
import { ApiError } from '../contract/errors.ts';
import type { AnswerOf, BodyOf, Operation, QueryOf } from '../contract/operation.ts';
import type { Page, PageRequest } from '../table/page.ts';
import { notRepeatable, type Repetition } from '../table/repetition.ts';
import { prefersCsv } from './accept.ts';
import { errorAnswer, rateLimitHeaders, successAnswer } from './answers.ts';
import { authenticate, bearerTokenOf } from './authentication.ts';
import { decodeCursor } from './cursor.ts';
import type { HtmlPage } from './html-page.ts';
import { once } from './idempotency.ts';
import { logFailure } from './log.ts';
import { type CsvPage, RecordWithPage } from './paged-answers.ts';
import { mostBodyBytes, parseBody, parseQuery } from './parsing.ts';

/** The program that the token belongs to, as far as authentication knows it. */
interface RequestProgram {
  id: string;
  currency: string;
  commissionRate: number;
}

/** What a handler is given. Program and key come from authentication, never from the request. */
export interface ApiRequest<O extends Operation> {
  program: RequestProgram;
  keyId: string;
  query: QueryOf<O>;
  body: BodyOf<O>;
  /** The page that a list operation is asked for. */
  page: PageRequest;
  /** The edit that If-Match says the caller has read. */
  expectedVersion: number | undefined;
  /** Whether the caller asks for CSV where the operation has it. */
  wantsCsv: boolean;
  /** What ties a new record to this request, where it has an Idempotency-Key. */
  repetition: Repetition;
  now: Date;
}

type Answer<O extends Operation> =
  | AnswerOf<O>
  | (O extends { lists: true } ? Page<AnswerOf<O>> | RecordWithPage<AnswerOf<O>> : never)
  | (O extends { csv: true } ? CsvPage : never)
  | (O extends { html: true } ? HtmlPage : never);
type Handler<O extends Operation> = (request: ApiRequest<O>) => Promise<Answer<O>> | Answer<O>;

type UntypedRequest = Omit<ApiRequest<Operation>, 'query' | 'body'> & { query: unknown; body: unknown };

/** An operation with the code that serves it. */
interface Served {
  operation: Operation;
  handle: (request: UntypedRequest) => unknown;
}

/** Joins an operation and its handler, which then has the operation's own types. */
export const serve = <const O extends Operation>(operation: O, handler: Handler<O>): Served => ({
  operation,
  // The stack has parsed query and body by the schemas of this very operation before it calls.
  handle: (request) => handler(request as ApiRequest<O>),
});

/** What the middlewares find out about a request, for those that come after them. */
interface State {
  now: Date;
  headers: Record<string, string>;
  served?: Served;
  /** What reads the records of the same path. */
  reader?: Served | undefined;
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
  return new ApiError('internal', undefined, { cause: error });
};

/** First in and last out: every error becomes an answer here and nowhere else, and every answer gets its headers. */
const answerErrors = (): Middleware => {
  const finish: NonNullable<Middleware['after']> = ({ response, event }) => {
    if (!response) return;
    const { headers } = event.state;
    response.headers = { ...response.headers, ...headers, 'x-request-id': event.requestContext.requestId };
  };
  return {
    before: ({ event }) => {
      event.state = { now: new Date(), headers: {} };
    },
    after: finish,
    onError: (request) => {
      const error = toApiError(request.error);
      if (error.status >= 500) logFailure(error, request.event.requestContext);
      request.response = errorAnswer(error, methodOf(request.event));
      finish(request);
    },
  };
};

/** Header form, rate limit, key, program, plan, in this order. Decisions, section 5. */
const authenticateRequest = (needsKey: boolean): Middleware => ({
  before: async ({ event }) => {
    if (!needsKey) return;
    const { method, path } = event.requestContext.http;
    const token = bearerTokenOf(event.headers);
    const access = await authenticate({ tokenHash: hashOfToken(token), method, path, now: event.state.now });
    event.state.headers = rateLimitHeaders(access.usage);
    if (access.kind === 'refused') throw access.error;
    event.state.program = access.program;
    event.state.keyId = access.keyId;
  },
});

const bodyBytes = ({ body, isBase64Encoded }: Event): number =>
  typeof body === 'string' ? (isBase64Encoded ? body.length * 0.75 : Buffer.byteLength(body)) : 0;

const saysJson = ({ headers }: Event): boolean => /^application\/(.+\+)?json($|;)/i.test(headers['content-type'] ?? '');

/** The operation for the method, and its body: an operation that takes none has an empty one. */
const chooseOperation = (served: readonly Served[]): Middleware => ({
  before: ({ event }) => {
    const method = methodOf(event);
    const found = served.find(({ operation }) => operation.method === method);
    if (!found) {
      const allow = served.map(({ operation }) => operation.method).join(', ');
      throw new ApiError('method_not_allowed', `${method} is not available on this path, only ${allow}`, {
        headers: { allow },
      });
    }
    event.state.served = found;
    event.state.reader = served.find(({ operation }) => operation.method === 'GET');
    if (!found.operation.body) Object.assign(event, { body: '{}', isBase64Encoded: false });
    else if (bodyBytes(event) > mostBodyBytes) throw new ApiError('body_too_large');
    else if (event.body !== undefined && !saysJson(event)) throw new ApiError('unsupported_media_type');
  },
});

const publicUrl = (event: Event): URL => {
  const scheme = event.headers['x-forwarded-proto'] ?? 'https';
  const host = event.headers.host ?? event.requestContext.domainName;
  const url = `${scheme}://${host}${event.rawPath}${event.rawQueryString ? `?${event.rawQueryString}` : ''}`;
  if (!URL.canParse(url)) throw new ApiError('bad_request', 'The Host header is not the name of a host');
  return new URL(url);
};

/** The edit in an If-Match header: undefined when there is no header or it is `*`, and none at all when it is no ETag. */
const expectedVersionOf = (ifMatch: string | undefined): number | undefined =>
  ifMatch === undefined || ifMatch.trim() === '*'
    ? undefined
    : Number(/^"(\d{1,15})"$/.exec(ifMatch.trim())?.[1] ?? -1);

const textOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What the request was refused for is its answer and is kept; a failure of ours is not. */
const refusalToKeep = (error: unknown, method: string): APIGatewayProxyStructuredResultV2 => {
  if (error instanceof ApiError && error.status < 500) return errorAnswer(error, method);
  throw error;
};

/** Only operations without a key run for nobody, and these look at no program. */
const nobody: RequestProgram = { id: '', currency: 'USD', commissionRate: 0 };

const run = async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
  const { served, reader, program = nobody, keyId = '', now } = event.state;
  if (!served) throw new Error('No operation was chosen');
  const { operation, handle } = served;
  const url = publicUrl(event);
  const query: Record<string, unknown> = parseQuery(operation.query, event.rawQueryString);
  const body = operation.body ? parseBody(operation.body, event.body) : {};
  const { limit, cursor, ...filters } = query;
  const scope = { programId: program.id, operationId: operation.id, filters };
  const page: PageRequest = {
    limit: typeof limit === 'number' ? limit : 0,
    after: typeof cursor === 'string' ? decodeCursor(scope, cursor) : undefined,
    createdAfter: textOrUndefined(query.createdAfter),
    createdBefore: textOrUndefined(query.createdBefore),
    updatedAfter: textOrUndefined(query.updatedAfter),
  };
  const expectedVersion = expectedVersionOf(event.headers['if-match']);
  const wantsCsv = operation.csv === true && prefersCsv(event.headers.accept);
  const address = { url, scope };
  const answer = async (repetition: Repetition) => {
    // What an interrupted run of this request made is answered, as GET does, and not made again.
    const madeId = reader && (await repetition.madeBefore());
    const common = { program, keyId, page, expectedVersion, wantsCsv, repetition, now };
    if (!madeId) return successAnswer(operation, await handle({ ...common, query, body }), address);
    const itself = parseQuery(reader.operation.query, `id=${madeId}`);
    const found = await reader.handle({ ...common, query: itself, body: {} });
    return successAnswer(operation, found instanceof RecordWithPage ? found.record : found, address);
  };
  const idempotencyKey = event.headers['idempotency-key'];
  if (operation.method !== 'POST' || idempotencyKey === undefined) return answer(notRepeatable);
  const request = { programId: program.id, keyId, path: operation.path, idempotencyKey, content: event.body, now };
  return once(request, (repetition) =>
    answer(repetition).catch((error: unknown) => refusalToKeep(error, operation.method)),
  );
};

/**
 * The Lambda of one path: the one middleware stack around the handlers of its operations. Takes and returns API
 * Gateway's payload 2.0.
 */
export const apiPath = (...served: readonly Served[]) =>
  middy<Event, APIGatewayProxyStructuredResultV2>()
    .use(answerErrors())
    .use(authenticateRequest(served.some(({ operation }) => operation.auth === 'key')))
    .use(chooseOperation(served))
    .use(httpJsonBodyParser({ disableContentTypeError: true }))
    .handler(run);
