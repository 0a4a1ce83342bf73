/**
 * Adds the route of an invocation to its trace header, as X-Ray lets services add fields of their own. By it the proxy
 * knows the method and path that a call to a service belongs to.
 */

interface HttpEvent {
  readonly routeKey?: unknown;
  readonly pathParameters?: Readonly<Record<string, unknown>>;
  readonly requestContext?: { readonly http?: { readonly method?: unknown } };
}

const longestSegment = 40;

/** The path of a greedy variable, with `*` in place of ids and values: our own words are in lower case, short and without digits. */
const generalPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => (/[\dA-Z]/.test(segment) || segment.length > longestSegment ? '*' : segment))
    .join('/');

/** The field for the trace header: method and route of an HTTP event; empty for any other event. */
export const routeField = (event: unknown): string => {
  const { routeKey, pathParameters, requestContext }: HttpEvent =
    typeof event === 'object' && event !== null ? event : {};
  const method = requestContext?.http?.method;
  if (typeof routeKey !== 'string' || typeof method !== 'string') return '';
  const path = routeKey
    .replace(/^\w+ /, '')
    .replace(/\{(\w+)\+\}/, (_, name: string) => generalPath(String(pathParameters?.[name])));
  return `;Route=${encodeURIComponent(`${method} ${path}`)}`;
};

const traceHeader = /(?<=\r\nx-amzn-trace-id:)[^\r]*/i;

/** The method and path in a trace header, such as `POST /api/orders`; undefined without the field. */
export const routeOfTrace = (trace: string): string | undefined => {
  const route = /;Route=([^;]+)/i.exec(trace)?.[1];
  return route === undefined ? undefined : decodeURIComponent(route);
};

/** The method and path in the head of a request. */
export const routeIn = (head: string): string | undefined => routeOfTrace(traceHeader.exec(head)?.[0] ?? '');
