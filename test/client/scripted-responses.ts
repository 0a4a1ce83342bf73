import { createClient } from '../../shared/client/client.ts';

export const coupon = { id: '1', name: 'Spring' };
export const responds =
  (status: number, body: unknown = coupon, headers: Record<string, string> = {}) =>
  () =>
    Promise.resolve(
      new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } }),
    );
export const fails = () => Promise.reject(new TypeError('fetch failed'));

export type Scripted = () => Promise<Response>;

/** A client whose requests get these responses one after the other, the last one for all that follow. */
export const scripted = (...responses: [Scripted, ...Scripted[]]) => {
  const sent: { at: number; url: string; init: RequestInit; key: string | null }[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const key = new Headers(init.headers).get('idempotency-key');
    sent.push({ at: Date.now(), url: String(url), init, key });
    return (responses[sent.length - 1] ?? responses.at(-1) ?? fails)();
  };
  const client = createClient({ apiKey: 'key', baseUrl: 'https://api.example.com/api/v1/', fetch });
  return { client, sent };
};
