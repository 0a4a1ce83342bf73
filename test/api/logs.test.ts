import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, it } from 'vitest';
import { logCanary } from '../support/log-check.ts';
import { type Api, makeCoupon, makeProgram, request } from '../support/program.ts';

// The end of a run looks through everything that all functions wrote (test/support/log-check.ts).

let api: Api;
let couponId: string;
beforeAll(async () => {
  api = await makeProgram();
  couponId = (await makeCoupon(api, { externalId: logCanary })).id;
});

/** What a function has logged of a request, once it is there. */
const loggedBy = async (functionName: string, requestId: string | null): Promise<string> => {
  const lines = () =>
    readFileSync(join(inject('logFolder'), `${functionName}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.includes(requestId ?? ''));
  await expect.poll(lines).not.toEqual([]);
  return lines().join('\n');
};

interface Case {
  status: number;
  method: string;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const coupon = { name: logCanary, percentOff: 20, metadata: { [logCanary]: logCanary } };

it.each<Case>([
  { status: 200, method: 'GET', query: `?name=${logCanary}` },
  { status: 200, method: 'POST', body: coupon },
  { status: 400, method: 'GET', query: `?${logCanary}=1` },
  { status: 400, method: 'GET', query: `?cursor=${logCanary}` },
  { status: 400, method: 'POST', body: { ...coupon, [logCanary]: 1 } },
  { status: 400, method: 'POST', body: { ...coupon, externalId: logCanary } },
  { status: 401, method: 'GET', headers: { authorization: `Bearer ${logCanary}` } },
  { status: 401, method: 'GET', headers: { authorization: logCanary } },
  { status: 404, method: 'GET', query: `?externalId=${logCanary}x` },
  { status: 405, method: 'PATCH', body: coupon },
  { status: 412, method: 'PUT', body: { name: logCanary }, headers: { 'if-match': `"${logCanary}"` } },
  { status: 413, method: 'POST', body: { ...coupon, name: logCanary.repeat(20_000) } },
  { status: 415, method: 'POST', body: coupon, headers: { 'content-type': `text/${logCanary}` } },
])(
  'a $method that ends with $status leaves nothing of its headers, its query and its body in the log',
  async (given) => {
    const { method, query = '', body, headers } = given;
    const response = await request(method, `/coupons${query}`, {
      headers: {
        authorization: `Bearer ${api.apiKey}`,
        cookie: `session=${logCanary}`,
        'user-agent': logCanary,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(method === 'PUT' ? { couponId, ...Object(body) } : body) }),
    });
    expect(response.status, response.text).toBe(given.status);
    const logged = await loggedBy('coupons', response.headers.get('x-request-id'));
    expect(logged).not.toContain(logCanary);
    expect(logged).toContain('"path":"/api/v1/coupons"');
  },
);

it('the name of a record in a path stays out of the log', async () => {
  const response = await api.get('/affiliates/email:nobody@example.com');
  expect(response.status).toBe(404);
  const logged = await loggedBy('affiliates', response.headers.get('x-request-id'));
  expect(logged).toContain('"path":"/api/v1/affiliates/email:…"');
});

it('a form of the web application leaves nothing of its fields and its cookies in the log', async () => {
  const response = await request('POST', `${new URL(inject('baseUrl')).origin}/sign-out?next=${logCanary}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: `session=${logCanary}` },
    body: new URLSearchParams({ csrfToken: logCanary, name: logCanary }).toString(),
  });
  const logged = await loggedBy('web-sign-in', response.headers.get('x-request-id'));
  expect(logged).not.toContain(logCanary);
});
