import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import * as z from 'zod';
import { apiBasePath, connectorBasePath } from '../../shared/contract/base-paths.ts';
import type { Operation } from '../../shared/contract/operation.ts';
import { publicPath } from '../../shared/http/public-path.ts';
import type { IdempotencyContext } from '../../shared/platform/table/idempotency-context.ts';

/** A read without parameters, which the operations of tests begin with. */
export const readThing = {
  id: 'readThing',
  method: 'GET',
  path: '/things',
  auth: 'none',
  tag: 'Things',
  summary: 'Read a thing',
  query: z.strictObject({}),
  response: z.unknown(),
  errors: [],
  needs: [],
  example: {},
} as const satisfies Operation;

export type PublicOperation = Operation & { readonly auth: 'none'; readonly path: '/things' | '/things/{id}' };

/** What a test sends. */
export interface Sent {
  method?: string;
  path?: '/things' | '/things/{id}';
  onConnector?: boolean;
  /** As it stands in the address. */
  query?: string;
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
  sourceIp?: string;
}

/** A request as API Gateway gives it to a function. */
const eventOf = (sent: Sent) => {
  const { method = 'GET', path = '/things', onConnector = false, query = '', parameters, headers } = sent;
  const basePath = onConnector ? connectorBasePath('automation') : apiBasePath;
  const rawPath = basePath + path.replace('{id}', parameters?.id ?? '');
  return {
    routeKey: `ANY ${basePath}${path}`,
    rawPath,
    rawQueryString: query,
    pathParameters: parameters,
    headers: { 'content-type': 'application/json', ...headers },
    requestContext: {
      requestId: 'request-1',
      http: { method, path: rawPath, sourceIp: sent.sourceIp ?? '203.0.113.1' },
    },
    ...(sent.body !== undefined && { body: sent.body }),
    isBase64Encoded: sent.isBase64Encoded ?? false,
  };
};

/** What a handler was given. */
export interface Given {
  parameters: unknown;
  query: unknown;
  body: unknown;
  page: unknown;
  expectedVersions: unknown;
  wantsCsv: boolean;
  basePath: string;
  program: unknown;
  keyId: string;
  now: Date;
  idempotency: IdempotencyContext;
}

type Lambda = (event: never, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** The response of a function to a request, with its body parsed if it is JSON. */
export const responseTo = async (lambda: Lambda, sent: Sent = {}) => {
  const { statusCode = 0, headers = {}, body = '' } = await lambda(eventOf(sent) as never, {} as Context);
  const isJson = String(headers['content-type']).startsWith('application/json');
  return { status: statusCode, headers, text: body, body: isJson && body ? JSON.parse(body) : undefined };
};

/** One handler for all of some operations, as a path takes them. */
export const handlersOf = (operations: readonly Operation[], handle: (request: Given) => unknown) =>
  // The types of handlers are those of each operation.
  [operations, Object.fromEntries(operations.map(({ id }) => [id, handle]))] as unknown as [never, never];

/**
 * A path without a key, with a handler that returns `result` or throws it.
 *
 * @returns a function that sends a request and returns the response, with what the handler was given, if it ran
 */
export const servedPath = (operations: readonly PublicOperation[], result: unknown = {}) => {
  const given: Given[] = [];
  const lambda = publicPath(
    ...handlersOf(operations, (request) => {
      given.push(request);
      if (result instanceof Error) throw result;
      return result;
    }),
  );
  return async (sent: Sent = {}) => {
    given.length = 0;
    const response = await responseTo(lambda, sent);
    return { ...response, given: given[0] };
  };
};
