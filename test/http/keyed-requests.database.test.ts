import { describe, expect, it } from 'vitest';
import { ApiError, fieldError } from '../../shared/contract/errors.ts';
import { ConcurrentModificationError } from '../../shared/platform/table/keys.ts';
import { withLimits } from './api-path.ts';
import { makeKey, repeatablePath } from './repeatable-path.ts';
import type { Sent } from './served-path.ts';

withLimits(1000, 1000);

describe('a request with an Idempotency-Key', () => {
  it('is served once, and its response repeated', async () => {
    const { ask, given } = repeatablePath();
    const key = await makeKey();
    const first = await ask(key);
    expect(await ask(key)).toMatchObject({
      status: 200,
      body: { times: 1 },
      headers: { 'idempotent-replayed': 'true', etag: first.headers.etag },
    });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(given).toHaveLength(1);
  });

  it.each<{ what: string; sent: Sent; status: number }>([
    { what: 'another body', sent: { body: '{"size":2}' }, status: 422 },
    { what: 'another query', sent: { query: 'id=1' }, status: 422 },
    { what: 'another key', sent: { headers: { 'idempotency-key': 'order-2' } }, status: 200 },
    { what: 'another method', sent: { method: 'PATCH' }, status: 200 },
  ])('with $what is another request: $status', async ({ sent, status }) => {
    const { ask, given } = repeatablePath();
    const key = await makeKey();
    await ask(key);
    const response = await ask(key, sent);
    expect(response.status).toBe(status);
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
    expect(given).toHaveLength(status === 200 ? 2 : 1);
  });

  it('is of one API key', async () => {
    const { ask, given } = repeatablePath();
    for (const key of [await makeKey(), await makeKey()]) expect((await ask(key)).status).toBe(200);
    expect(given).toHaveLength(2);
  });

  it('is served each time where it reads, or where it has no key', async () => {
    const { ask, given } = repeatablePath();
    const key = await makeKey();
    for (const sent of [{ method: 'GET' }, { method: 'GET' }, { method: 'HEAD' }, { method: 'HEAD' }])
      expect((await ask(key, sent)).headers).not.toHaveProperty('idempotent-replayed');
    const without = { headers: { 'idempotency-key': undefined as unknown as string } };
    for (const times of [5, 6]) expect((await ask(key, without)).body).toEqual({ times });
    expect(given).toHaveLength(6);
  });

  it.each<{ what: string; error: Error; status: number; isKept: boolean }>([
    { what: 'a missing record', error: new ApiError('not_found'), status: 404, isKept: true },
    { what: 'a conflict', error: new ApiError('conflict'), status: 409, isKept: true },
    { what: 'a taken value', error: new ApiError('already_exists'), status: 400, isKept: true },
    { what: 'a reason with a code', error: fieldError('code', 'cannot', 'EXPIRED'), status: 400, isKept: true },
    {
      what: 'a reason with a code beside wrong input',
      error: new ApiError('bad_request', 'both', {
        details: [
          { path: 'size', message: 'size is odd' },
          { path: 'code', message: 'cannot', code: 'EXPIRED' },
        ],
      }),
      status: 400,
      isKept: true,
    },
    {
      what: 'a record that others changed at each attempt',
      error: new ApiError('conflict', 'Try again.', { cause: new ConcurrentModificationError('changed') }),
      status: 409,
      isKept: false,
    },
    { what: 'wrong input', error: fieldError('size', 'size is odd'), status: 400, isKept: false },
    { what: 'wrong input without a field', error: new ApiError('bad_request'), status: 400, isKept: false },
    { what: 'a creation that failed', error: new ApiError('creation_failed'), status: 500, isKept: false },
    { what: 'a failure of ours', error: new Error('broken'), status: 500, isKept: false },
  ])('that is refused for $what keeps its response: $isKept', async ({ error, status, isKept }) => {
    const { ask, given } = repeatablePath(() => {
      throw error;
    });
    const key = await makeKey();
    const [first, again] = [await ask(key), await ask(key)];
    expect([first.status, again.status]).toEqual([status, status]);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe(isKept ? 'true' : undefined);
    expect(given).toHaveLength(isKept ? 1 : 2);
  });

  it('may have another body after one with wrong input only', async () => {
    const { ask } = repeatablePath(({ body }) => {
      throw Object(body).size === 1 ? fieldError('size', 'size is odd') : new ApiError('unavailable');
    });
    const key = await makeKey();
    expect((await ask(key)).status).toBe(400);
    expect((await ask(key, { body: '{"size":2}' })).status).toBe(503);
    expect((await ask(key, { body: '{"size":3}' })).status).toBe(422);
  });

  it('says when to come again while it runs', async () => {
    const key = await makeKey();
    const running: { again?: Promise<{ status: number; headers: object }> } = {};
    const { ask } = repeatablePath(async () => {
      running.again ??= ask(key);
      return { status: (await running.again).status };
    });
    expect((await ask(key)).body).toEqual({ status: 409 });
    expect(await running.again).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
  });
});
