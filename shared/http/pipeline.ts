import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import { countServerError } from '../platform/logs/count-server-error.ts';
import { logError, logInfo } from '../platform/logs/log.ts';
import { unavailableErrorFor, withRetryDeadline } from '../platform/table/retry-transient.ts';
import { loggedPath } from './logged-path.ts';
import type { Served } from './route.ts';

export type HttpResponse = APIGatewayProxyStructuredResultV2;

interface NewRequest {
  now: Date;
  /** From `performance.now()`. */
  startedAt: number;
  /** Added to every response. */
  headers: Record<string, string>;
}

/** What is known of a request; the checks add to it. */
export interface RequestState extends NewRequest {
  served?: Served;
  program?: { readonly id: string };
}

/** API Gateway's payload 2.0; a parsed body may replace the text. */
export type HttpEvent<State extends RequestState> = Omit<APIGatewayProxyEventV2, 'body'> & {
  body?: unknown;
  state: State;
};

type Received = HttpEvent<RequestState>;

/** What differs between the API and the pages. */
export interface Front<State extends RequestState> {
  begin: (request: NewRequest, event: Received) => State;
  /** Run in order; a thrown error becomes the response. */
  checks: readonly ((event: HttpEvent<State>) => Promise<void> | void)[];
  handle: (event: HttpEvent<State>) => Promise<HttpResponse>;
  respondToError: (error: ApiError, event: HttpEvent<State>) => Promise<HttpResponse> | HttpResponse;
}

type Requested = Pick<Received, 'requestContext'>;

const isHead = ({ requestContext }: Requested): boolean => requestContext.http.method === 'HEAD';

/** HEAD is a GET without its body. docs/behavior.md#head */
export const methodOf = (event: Requested): string => (isHead(event) ? 'GET' : event.requestContext.http.method);

/** Path and query, as they were sent. */
export const pathAndQueryOf = ({ rawPath, rawQueryString }: Pick<Received, 'rawPath' | 'rawQueryString'>): string =>
  rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath;

const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  return unavailableErrorFor(error) ?? new ApiError('internal', undefined, { cause: error });
};

/** One line per request, never with a header, a query or a body. */
const logRequest = ({ requestContext, state }: Received, status: number | undefined, error?: ApiError): void => {
  const { requestId, http } = requestContext;
  const fields = {
    requestId,
    method: http.method,
    path: loggedPath(http.path),
    operation: state.served?.declared.id,
    programId: state.program?.id,
    status,
    errorCode: error?.code,
    durationMilliseconds: Math.round(performance.now() - state.startedAt),
  };
  if (error && error.status >= 500) logError('request failed', error.cause ?? error, fields);
  else logInfo('request', fields);
};

const frame = <State extends RequestState>(front: Front<State>): MiddlewareObj<HttpEvent<State>, HttpResponse> => {
  const finish = (event: HttpEvent<State>, response: HttpResponse, error?: ApiError): HttpResponse => {
    logRequest(event, response.statusCode, error);
    if ((response.statusCode ?? 200) >= 500) countServerError(event.state.now);
    const { headers } = event.state;
    return {
      ...response,
      ...(isHead(event) && { body: '' }),
      headers: { ...response.headers, ...headers, 'x-request-id': event.requestContext.requestId },
    };
  };
  return {
    before: ({ event }) => {
      event.state = front.begin({ now: new Date(), startedAt: performance.now(), headers: {} }, event);
    },
    after: (request) => {
      if (request.response) request.response = finish(request.event, request.response);
    },
    onError: async (request) => {
      const error = toApiError(request.error);
      request.response = finish(request.event, await front.respondToError(error, request.event), error);
    },
  };
};

/** A Lambda behind API Gateway: checks, handler, and one response and log line for each request. */
export const pipeline = <State extends RequestState>(front: Front<State>) => {
  const lambda = middy<HttpEvent<State>, HttpResponse>().use(frame(front));
  for (const check of front.checks) lambda.before(({ event }) => check(event));
  return lambda.handler((event) => withRetryDeadline(() => front.handle(event)));
};
