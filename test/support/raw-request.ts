import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { ResponseBody } from './program.ts';

/** One request exactly as given, to a path below `/api/v1` or a whole URL, for what `fetch` would refuse or change: the case of header names, a body on a GET. */
export const rawRequest = async (
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<ResponseBody> => {
  const length = body === undefined ? undefined : { 'content-length': Buffer.byteLength(body) };
  const url = path.startsWith('http') ? path : `${inject('baseUrl')}${path}`;
  const outgoing = httpRequest(url, { method, headers: { ...length, ...headers } });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const responded = await text(response);
  const isJson = responded !== '' && response.headers['content-type']?.includes('json');
  return {
    status: response.statusCode,
    headers: new Headers(response.headers),
    text: responded,
    body: isJson ? JSON.parse(responded) : undefined,
  };
};
