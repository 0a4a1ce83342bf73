import { createHash } from 'node:crypto';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type ApiError, alwaysReturnsErrorString } from '../contract/errors.ts';
import type { Method, Operation } from '../contract/operation.ts';
import type { Usage } from '../domain/access/rate-limit.ts';
import { FeedPage, maxPageBytes, Page } from '../platform/table/page.ts';
import { CsvPage, RecordWithPage } from '../platform/table/paged-responses.ts';
import { CacheableDocument } from './cacheable-document.ts';
import { type CursorScope, encodeCursor } from './cursor.ts';

/** On every response: browsers must not guess another content type, and must use HTTPS. */
const everyResponse = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=63072000',
};

const response = (
  statusCode: number,
  body: string,
  headers: Record<string, string>,
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'cache-control': 'no-store', ...everyResponse, ...headers },
  body,
});

const json = (statusCode: number, body: string, headers: Record<string, string> = {}) =>
  response(statusCode, body, { 'content-type': 'application/json; charset=utf-8', ...headers });

const csv = ({ text, fileName }: CsvPage, headers: Record<string, string>) =>
  response(200, text, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
    ...headers,
  });

/** See docs/behavior.md#rate-limits */
export const rateLimitHeaders = (usage: Usage): Record<string, string> => ({
  'ratelimit-limit': String(usage.limitPerMinute),
  'ratelimit-remaining': String(usage.remaining),
  'ratelimit-reset': String(usage.resetSeconds),
});

export type ErrorForm = Pick<Operation, 'surface' | 'errorFields'>;

/** See docs/behavior.md#error-bodies */
export const errorResponse = (
  error: ApiError,
  method: string,
  { surface, errorFields }: ErrorForm = {},
): APIGatewayProxyStructuredResultV2 => {
  const details = { ...(error.details && { details: error.details }), ...errorFields };
  const changes: readonly string[] = ['PUT', 'PATCH', 'DELETE'] satisfies Method[];
  const body =
    surface !== 'connector' && changes.includes(method) && !alwaysReturnsErrorString(error.code)
      ? { error: error.status, message: error.message, ...details }
      : { error: error.message, ...details };
  return json(error.status, JSON.stringify(body), { ...error.headers });
};

/** The record's version; a hash of the content if it has none. docs/behavior.md#etags */
const etagOf = (record: unknown, body: string): string =>
  record instanceof Object && 'version' in record
    ? `"${record.version}"`
    : `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

interface PageAddress {
  path: string;
  scope: CursorScope;
  headers: Readonly<Record<string, string | undefined>>;
}

const fittingPart = (operation: Operation, page: Page<unknown>): { parts: string[]; next: string | undefined } => {
  const parts: string[] = [];
  let bytes = 0;
  for (const { item } of page.entries) {
    const part = JSON.stringify(operation.response.parse(item));
    bytes += Buffer.byteLength(part);
    if (bytes > maxPageBytes && parts.length > 0) return { parts, next: page.entries[parts.length - 1]?.position };
    parts.push(part);
  }
  return { parts, next: page.next };
};

/** From the deployment, never from a request's Host header. */
export const publicUrl = (path: string): URL => {
  const origin = process.env.API_URL;
  if (!origin) throw new Error('The environment variable API_URL is not set');
  return new URL(`${origin}${path}`);
};

const linkTo = (path: string, scope: CursorScope, position: string): string => {
  const next = publicUrl(path);
  next.searchParams.set(scope.parameter ?? 'cursor', encodeCursor(scope, position));
  return `<${next}>; rel="next"`;
};

/** docs/behavior.md#success, docs/behavior.md#lists */
export const successResponse = (
  operation: Operation,
  result: unknown,
  { path, scope, headers: requestHeaders }: PageAddress,
): APIGatewayProxyStructuredResultV2 => {
  const varies: Record<string, string> = operation.csv ? { vary: 'accept' } : {};
  const headersWith = (next: string | undefined) => ({ ...varies, ...(next && { link: linkTo(path, scope, next) }) });
  if (result instanceof Page) {
    const { parts, next } = fittingPart(operation, result);
    const after = result instanceof FeedPage && { 'next-after': encodeCursor(scope, next ?? result.end) };
    return json(200, `[${parts.join(',')}]`, { ...headersWith(next), ...after });
  }
  if (result instanceof CacheableDocument) {
    const response = result.respond(requestHeaders);
    return { ...response, headers: { ...everyResponse, ...response.headers } };
  }
  if (result instanceof CsvPage) return csv(result, headersWith(result.next));
  const { record, next } = result instanceof RecordWithPage ? result : { record: result, next: undefined };
  const body = JSON.stringify(operation.response.parse(record));
  return json(200, body, {
    ...headersWith(next),
    ...(operation.method !== 'DELETE' && { etag: etagOf(record, body) }),
  });
};
