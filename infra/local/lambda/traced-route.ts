/**
 * The trace header of an invocation also says which route it is for, as X-Ray lets services add fields of their own. So
 * the proxy sees which method and path a call to a service belongs to.
 */

interface HttpEvent {
  readonly routeKey?: unknown;
  readonly pathParameters?: Readonly<Record<string, unknown>>;
  readonly requestContext?: { readonly http?: { readonly method?: unknown } };
}

const longestSegment = 40;

/** What a greedy variable stands for, with `*` in place of ids: of segments with digits, and of very long ones. */
const generalPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => (/\d/.test(segment) || segment.length > longestSegment ? '*' : segment))
    .join('/');

/** The field for the trace header: of an HTTP event its method and the path of its route; empty for any other event. */
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

const routeInHead = /\r\nx-amzn-trace-id:[^\r]*;Route=([^;\r]+)/i;

/** The method and path in the head of a request, such as `POST /api/orders`; undefined where it has none. */
export const routeIn = (head: string): string | undefined => {
  const route = routeInHead.exec(head)?.[1];
  return route === undefined ? undefined : decodeURIComponent(route);
};
