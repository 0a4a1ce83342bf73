import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { type RequestContent, sendRequest } from './http.ts';
import { keepSecrets, secretsIn } from './secrets-of-tests.ts';

Object.assign(process.env, inject('stackEnvironment'));

export interface ResponseBody {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects, and fails where they are not
  body: any;
  text: string;
}

/** Calls the API over HTTP as an integrator would, with one key. */
export interface Api {
  programId: string;
  apiKey: string;
  ownerEmail: string;
  get: (path: string, headers?: Record<string, string>) => Promise<ResponseBody>;
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ResponseBody>;
  put: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ResponseBody>;
  patch: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ResponseBody>;
  delete: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ResponseBody>;
}

/** One request to the local stack, exactly as given. `path` is below `/api/v1`, or a whole URL. */
export const request = async (
  method: string,
  path: string,
  content: Omit<RequestContent, 'method'> = {},
): Promise<ResponseBody> => {
  const url = path.startsWith('http') ? path : `${inject('baseUrl')}${path}`;
  const response = await sendRequest(url, { ...content, method });
  keepSecrets(secretsIn(new Headers(content.headers), response.headers, response.text));
  // The response to a HEAD request says that it is JSON and has no body.
  const isJson = response.text !== '' && response.headers.get('content-type')?.includes('json');
  return { ...response, body: isJson ? JSON.parse(response.text) : undefined };
};

const maxRetries = 3;

/**
 * Injected faults may outlast the service's own retries. Its clients are told to repeat a 503 that has a Retry-After with
 * the same Idempotency-Key, so under `npm run test:faults` the tests do. The last response counts.
 */
const requestDespiteFaults: typeof request = async (method, path, init = {}) => {
  const headers = new Headers(init.headers);
  if (method !== 'GET' && !headers.has('idempotency-key')) headers.set('idempotency-key', randomUUID());
  for (let retries = 0; ; retries++) {
    const response = await request(method, path, { ...init, headers });
    const retryAfter = response.headers.get('retry-after');
    if (response.status !== 503 || retryAfter === null || retries === maxRetries) return response;
    await sleep(Number(retryAfter) * 1000);
  }
};

/** The API with a key. */
export const apiWith = (apiKey: string, programId = '', ownerEmail = ''): Api => {
  const send = process.env.TEST_FAULTS ? requestDespiteFaults : request;
  const call =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, {
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
  return {
    programId,
    apiKey,
    ownerEmail,
    get: (path, headers) => call('GET')(path, undefined, headers),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  };
};

/** A new program of its own for a test, with a key. */
export const makeProgram = async (
  overrides: {
    name?: string;
    currency?: string;
    commissionRate?: number;
    allowSelfReferral?: boolean;
    plan?: 'FREE' | 'BUSINESS';
    baseUrls?: string[];
  } = {},
): Promise<Api> => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  const { programId, apiKey } = await createProgram({ name: 'Test program', ownerEmail, ...overrides }, new Date());
  return apiWith(apiKey, programId, ownerEmail);
};

/** A new affiliate, as the API returns it. */
export const makeAffiliate = async (api: Api, overrides: Record<string, unknown> = {}) => {
  const body = { email: `affiliate-${randomUUID()}@example.com`, firstName: 'Amara', lastName: 'Okafor', ...overrides };
  return created(await api.post('/affiliates', body));
};

/** A new coupon of 20 %, as the API returns it. */
export const makeCoupon = async (api: Api, overrides: Record<string, unknown> = {}) =>
  created(await api.post('/coupons', { name: 'Spring', percentOff: 20, ...overrides }));

/** A new promotional code of a coupon, as the API returns it. */
export const makeCode = async (api: Api, couponId: string, overrides: Record<string, unknown> = {}) =>
  created(await api.post('/promotional-codes', { couponId, code: `CODE-${randomUUID()}`, ...overrides }));

const created = (response: ResponseBody) => {
  if (response.status !== 200) throw new Error(`Expected 200, got ${response.status}: ${response.text}`);
  return response.body;
};
