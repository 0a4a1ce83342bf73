import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { accountId } from '../account.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** The path and query as sent. */
  readonly url: string;
  /** Name, value, name, value, as sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly port: number;
  readonly routeKey: string;
  readonly pathParameters: Record<string, string>;
}

/** The HTTP API event (payload format 2.0) that API Gateway would hand to the Lambda for this request. */
export function toEvent(request: ReceivedRequest): APIGatewayProxyEventV2 {
  const { path, query } = splitUrl(request.url);
  const { headers, cookies } = readHeaders(request.rawHeaders);
  headers['x-forwarded-for'] = [headers['x-forwarded-for'], request.sourceIp].filter(Boolean).join(', ');
  headers['x-forwarded-port'] = String(request.port);
  headers['x-forwarded-proto'] = 'http';
  const now = new Date();
  const parameters = queryParameters(query);
  const isText = isTextual(headers['content-type']) && isUtf8(request.body);
  return {
    version: '2.0',
    routeKey: request.routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(parameters && { queryStringParameters: parameters }),
    requestContext: {
      accountId,
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomBytes(11).toString('base64').slice(0, 15),
      routeKey: request.routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(request.pathParameters).length > 0 && { pathParameters: request.pathParameters }),
    ...(request.body.length > 0 && { body: request.body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: request.body.length > 0 && !isText,
  };
}

/** Splits what the request line holds into path and raw query. */
export function splitUrl(url: string): { path: string; query: string } {
  const relative = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '') || '/';
  const mark = relative.indexOf('?');
  return mark < 0 ? { path: relative, query: '' } : { path: relative.slice(0, mark), query: relative.slice(mark + 1) };
}

/** Lower-cased names, duplicates joined with a comma; cookies go into their own list and leave the headers. */
function readHeaders(rawHeaders: readonly string[]) {
  const headers: Record<string, string> = Object.create(null);
  const cookies: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(/; */).filter(Boolean));
    else headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return { headers: { ...headers }, cookies };
}

function queryParameters(query: string): Record<string, string> | undefined {
  if (query === '') return undefined;
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = parameters.get(name);
    parameters.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(parameters);
}

/** The content types that API Gateway hands over as text. A form is none of them: real forms arrive in base64. */
function isTextual(contentType: string | undefined): boolean {
  const mediaType = (contentType ?? 'text/plain').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^text\/|^application\/(json|xml|javascript|graphql)$|\+(json|xml)$/.test(mediaType);
}

/** For example `12/Mar/2030:19:03:58 +0000`. */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
