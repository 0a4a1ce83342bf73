import { beforeAll, describe, expect, inject, it } from 'vitest';
import { operations } from '../../shared/contract/operations.ts';
import { type Api, makeAffiliate, makeProgram, request } from '../support/program.ts';
import { rawRequest } from '../support/raw-request.ts';

let api: Api;
beforeAll(async () => {
  api = await makeProgram();
});

describe('a path or method that is not there', () => {
  it.each(['/nope', '/affiliates/', '/affiliates/1/2', '/Affiliates', '//affiliates', '/%00', '/%ff', '/..%2f', '/'])(
    'returns 404 for %s, with or without a key, to every method',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
        const response = await request(method, path, { headers: { authorization: `Bearer ${api.apiKey}` } });
        expect(response.status).toBe(404);
        expect(response.body).toEqual({
          error: 'This path does not exist. See GET /api/v1/docs or GET /api/v1/openapi.json.',
        });
        expect(response.headers.get('x-request-id')).toMatch(/./);
      }
      expect((await request('GET', path)).status).toBe(404);
    },
  );

  it.each([...Map.groupBy(operations, ({ path }) => path)])(
    'returns 405 on %s to every method it does not have, and says which it has',
    async (path, served) => {
      const allowed: readonly string[] = served.map(({ method }) => method);
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
        // HEAD is a GET without its body.
        (method) => !allowed.includes(method === 'HEAD' ? 'GET' : method),
      );
      for (const method of others) {
        const response = await request(method, path, { headers: { authorization: `Bearer ${api.apiKey}` } });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe(allowed.join(', '));
        if (method === 'HEAD') expect(response.text).toBe('');
        else expect(response.body).toEqual({ error: expect.stringContaining(method) });
      }
    },
  );
});

describe('the headers of a request', () => {
  it.each(['a:b:c', '[', 'a:99999', '%', 'x"y', ''])('never make it fail: Host "%s"', async (host) => {
    const headers = { authorization: `Bearer ${api.apiKey}`, host };
    const { status } = await rawRequest('GET', '/affiliates?limit=1', { headers });
    expect(status).toBeLessThan(500);
  });

  it('may have bytes that are no text, and may be too long', async () => {
    expect((await rawRequest('GET', '/affiliates', { headers: { authorization: 'Bearer \xff\xfe' } })).status).toBe(
      401,
    );
    const long = { authorization: `Bearer ${'x'.repeat(9_000)}` };
    expect((await rawRequest('GET', '/affiliates', { headers: long })).status).toBe(401);
    const longer = { authorization: `Bearer ${'x'.repeat(20_000)}` };
    expect((await rawRequest('GET', '/affiliates', { headers: longer })).status).toBe(431);
  });

  it('let a GET have a body, which is not looked at', async () => {
    const headers = { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json' };
    expect((await rawRequest('GET', '/affiliates', { headers, body: '{ not json' })).status).toBe(200);
  });
});

describe('the headers of a response', () => {
  const responses = async (headers: Record<string, string> = {}) => {
    const key = { authorization: `Bearer ${api.apiKey}` };
    const json = { 'content-type': 'application/json' };
    return Promise.all([
      request('GET', '/affiliates', { headers: { ...key, ...headers } }),
      request('GET', '/affiliates?nope=1', { headers: { ...key, ...headers } }),
      request('GET', '/affiliates', { headers }),
      request('GET', '/affiliates?email=nobody@example.com', { headers: { ...key, ...headers } }),
      request('GET', '/nope', { headers }),
      request('PATCH', '/affiliates', { headers: { ...key, ...headers } }),
      request('POST', '/coupons', { headers: { ...key, ...json, ...headers }, body: ' '.repeat(300_000) }),
      request('POST', '/coupons', { headers: { ...key, ...headers }, body: '{}' }),
      request('DELETE', '/promotional-codes', { headers: { ...key, ...json, ...headers }, body: '{}' }),
      request('GET', '/openapi.json', { headers }),
    ]);
  };

  it('have an x-request-id of its own each time', async () => {
    const all = await responses();
    expect(all.map(({ status }) => status)).toEqual([200, 400, 401, 404, 404, 405, 413, 415, 400, 200]);
    const ids = all.map(({ headers }) => headers.get('x-request-id'));
    expect(ids).not.toContain(null);
    expect(new Set(ids).size).toBe(all.length);
  });

  it('say JSON, and that nobody may keep what is not the same for everybody', async () => {
    const all = await responses();
    const kept = all.filter(({ headers }) => headers.get('cache-control') !== 'no-store');
    expect(kept.map(({ body }) => body.openapi)).toEqual(['3.1.0']);
    for (const { headers } of all) expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('say what is left of the rate limit in whole numbers wherever a key was looked at', async () => {
    const all = await responses();
    for (const { headers, status } of all.filter(({ headers }) => headers.has('ratelimit-limit'))) {
      expect(status).not.toBe(401);
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
        expect(headers.get(name)).toMatch(/^\d+$/);
      expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(120);
    }
    expect(all.filter(({ headers }) => headers.has('ratelimit-limit'))).toHaveLength(7);
  });

  it('let any origin read them, and never with credentials', async () => {
    for (const { headers } of await responses({ origin: 'https://shop.example' })) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
      const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(',') ?? [];
      for (const name of ['link', 'etag', 'retry-after', 'ratelimit-limit', 'ratelimit-reset', 'x-request-id'])
        expect(exposed).toContain(name);
    }
  });

  it('allow a preflight without a key', async () => {
    const { status, headers } = await request('OPTIONS', '/promotional-codes', {
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')?.split(',')).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    );
    expect(headers.get('access-control-allow-headers')?.toLowerCase().split(',')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'if-match']),
    );
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });
});

it('the next page is at the deployed address, whatever host a request names', async () => {
  const listed = await makeProgram();
  await makeAffiliate(listed);
  await makeAffiliate(listed);
  for (const host of ['evil.example', 'evil.example:443', '[', 'a b']) {
    const headers = { authorization: `Bearer ${listed.apiKey}`, host, 'x-forwarded-host': 'evil.example' };
    const response = await rawRequest('GET', '/affiliates?limit=1', { headers });
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? [];
    expect(next.startsWith(`${inject('baseUrl')}/affiliates?limit=1&cursor=`), host).toBe(true);
    expect((await listed.get(next)).body).toHaveLength(1);
  }
});

it('nobody guesses the type of a response', async () => {
  const { apiKey } = await makeProgram();
  const authorization = `Bearer ${apiKey}`;
  for (const path of ['/program', '/affiliates', '/nothing', '/docs', '/openapi.json', '/coupons?x=1'])
    expect(
      (await request('GET', path, { headers: { authorization } })).headers.get('x-content-type-options'),
      path,
    ).toBe('nosniff');
});
