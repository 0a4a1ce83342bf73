import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { ResponseBody } from './response.ts';

export const corsConfiguration = z.object({
  AllowOrigins: z.array(z.string()).default([]),
  AllowMethods: z.array(z.string()).default([]),
  AllowHeaders: z.array(z.string()).default([]),
  ExposeHeaders: z.array(z.string()).default([]),
  MaxAge: z.coerce.number().optional(),
  AllowCredentials: z.coerce.boolean().default(false),
});
export type CorsConfiguration = z.output<typeof corsConfiguration>;

/** The response that API Gateway itself gives to a preflight; undefined for any other request. */
export function preflightResponse(
  configuration: CorsConfiguration | undefined,
  method: string | undefined,
  headers: IncomingHttpHeaders,
): ResponseBody | undefined {
  const isPreflight = method === 'OPTIONS' && headers.origin && headers['access-control-request-method'];
  if (!configuration || !isPreflight) return undefined;
  const origin = allowedOrigin(configuration, headers.origin);
  if (origin === undefined) return { status: 204, headers: {}, body: Buffer.alloc(0) };
  return {
    status: 204,
    headers: {
      ...corsHeaders(configuration, headers),
      ...(configuration.AllowMethods.length > 0 && {
        'access-control-allow-methods': configuration.AllowMethods.join(','),
      }),
      ...(configuration.AllowHeaders.length > 0 && {
        'access-control-allow-headers': configuration.AllowHeaders.join(','),
      }),
      ...(configuration.MaxAge !== undefined && { 'access-control-max-age': String(configuration.MaxAge) }),
    },
    body: Buffer.alloc(0),
  };
}

/** The response of a Lambda with API Gateway's CORS headers; where an API has a CORS configuration, its own are ignored. */
export function withCorsHeaders(
  configuration: CorsConfiguration | undefined,
  headers: IncomingHttpHeaders,
  response: ResponseBody,
): ResponseBody {
  if (!configuration) return response;
  const own = Object.entries(response.headers).filter(([name]) => !name.startsWith('access-control-'));
  return { ...response, headers: { ...Object.fromEntries(own), ...corsHeaders(configuration, headers) } };
}

/** The headers that every response to a request with an allowed `Origin` carries. */
function corsHeaders(configuration: CorsConfiguration, headers: IncomingHttpHeaders): Record<string, string> {
  const origin = allowedOrigin(configuration, headers.origin);
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    ...(configuration.AllowCredentials && { 'access-control-allow-credentials': 'true' }),
    ...(configuration.ExposeHeaders.length > 0 && {
      'access-control-expose-headers': configuration.ExposeHeaders.join(','),
    }),
  };
}

function allowedOrigin(configuration: CorsConfiguration, origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  if (configuration.AllowOrigins.includes('*')) return '*';
  return configuration.AllowOrigins.includes(origin) ? origin : undefined;
}
