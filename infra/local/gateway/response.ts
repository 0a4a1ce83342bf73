import * as z from 'zod';

export interface ResponseBody {
  readonly status: number;
  /** A header that occurs more than once (set-cookie) has several values. */
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
}

const structuredResponse = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** What the caller gets for a Lambda's result by the rules of payload format 2.0; a result out of shape is a 500. */
export function toResponse(result: unknown): ResponseBody {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const body = typeof result === 'string' ? result : JSON.stringify(result ?? null);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  }
  const parsed = structuredResponse.safeParse(result);
  if (!parsed.success) return messageResponse(500, 'Internal Server Error');
  const { statusCode, headers: given, cookies, body, isBase64Encoded } = parsed.data;
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(given ?? {})) headers[name.toLowerCase()] = String(value);
  if (cookies?.length) headers['set-cookie'] = cookies;
  if (body) headers['content-type'] ??= 'text/plain;charset=utf-8';
  return { status: statusCode, headers, body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8') };
}

/** API Gateway's own short responses. */
export function messageResponse(status: number, message: string): ResponseBody {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}
