/**
 * The trace header of an invocation also says which route it is for, as X-Ray lets services add fields of their own. So
 * the proxy sees which method and path a call to a service belongs to.
 */

interface HttpEvent {
  readonly routeKey?: unknown;
  readonly requestContext?: { readonly http?: { readonly method?: unknown } };
}

/** The field for the trace header: of an HTTP event its method and the path of its route; empty for any other event. */
export const routeField = (event: unknown): string => {
  const { routeKey, requestContext }: HttpEvent = typeof event === 'object' && event !== null ? event : {};
  const method = requestContext?.http?.method;
  if (typeof routeKey !== 'string' || typeof method !== 'string') return '';
  return `;Route=${encodeURIComponent(`${method} ${routeKey.replace(/^\w+ /, '')}`)}`;
};

const routeInHead = /\r\nx-amzn-trace-id:[^\r]*;Route=([^;\r]+)/i;

/** The method and path in the head of a request, such as `POST /api/orders`; undefined where it has none. */
export const routeIn = (head: string): string | undefined => {
  const route = routeInHead.exec(head)?.[1];
  return route === undefined ? undefined : decodeURIComponent(route);
};
