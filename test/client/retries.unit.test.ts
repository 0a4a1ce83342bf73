import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../shared/client/client.ts';
import { AffiliateProgramError } from '../../shared/client/errors.ts';
import { coupon, fails, responds, scripted } from './scripted-responses.ts';

const create = (client: ReturnType<typeof createClient>, options = {}) =>
  client.coupons.create({ name: 'Spring', percentOff: 20 }, options);

/** The outcome of a call, with the clock moved on as far as its waits need. */
const settled = async <Result>(call: Promise<Result>): Promise<PromiseSettledResult<Result>> => {
  const [outcome] = await Promise.all([Promise.allSettled([call]), vi.runAllTimersAsync()]);
  return outcome[0];
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('retries', () => {
  it.each([
    ['a network error', fails],
    ['408', responds(408)],
    ['429', responds(429)],
    ['500', responds(500)],
    ['502', responds(502)],
    ['503', responds(503)],
    ['504', responds(504)],
    ['409 of a request that still runs', responds(409, {}, { 'retry-after': '1' })],
  ])('%s is retried with the same Idempotency-Key, until it succeeds', async (_name, refusal) => {
    const { client, sent } = scripted(refusal, refusal, responds(200));
    expect(await settled(create(client))).toEqual({ status: 'fulfilled', value: coupon });
    expect(sent).toHaveLength(3);
    expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1);
  });

  it.each([400, 401, 403, 404, 405, 409, 412, 413, 415, 422])('%i is not retried', async (status) => {
    const { client, sent } = scripted(responds(status));
    expect(await settled(create(client))).toMatchObject({ status: 'rejected', reason: { status } });
    expect(sent).toHaveLength(1);
  });

  it('without a setting three retries are made, and the error of the last one is thrown with its cause', async () => {
    const { client, sent } = scripted(fails);
    const failed = await settled(create(client));
    expect(failed).toMatchObject({
      status: 'rejected',
      reason: { code: 'network_error', cause: expect.any(TypeError) },
    });
    expect(sent).toHaveLength(4);
    const { client: refused } = scripted(responds(404));
    const outcome = await settled(create(refused));
    expect('reason' in outcome && Object.hasOwn(outcome.reason, 'cause')).toBe(false);
  });

  it('two calls have different keys, a read has none, and a given key is sent', async () => {
    const { client, sent } = scripted(responds(200));
    await create(client);
    await create(client);
    await client.coupons.get('1');
    await create(client, { idempotencyKey: 'mine' });
    expect(sent[0]?.key).not.toBe(sent[1]?.key);
    expect(sent.slice(2).map(({ key }) => key)).toEqual([null, 'mine']);
  });

  it('the waits are random between 0 and a bound that doubles', async () => {
    const { client, sent } = scripted(fails);
    await settled(create(client, { maxRetries: 6 }));
    const waits = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    vi.mocked(Math.random).mockReturnValue(0);
    const another = scripted(fails);
    const start = Date.now();
    await settled(create(another.client));
    expect(another.sent.map(({ at }) => at - start)).toEqual([0, 0, 0, 0]);
  });

  it('Retry-After is waited for, in seconds or as a date', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    vi.setSystemTime('2026-01-31T12:00:00Z');
    const date = 'Sat, 31 Jan 2026 12:00:10 GMT';
    const { client, sent } = scripted(
      responds(429, {}, { 'retry-after': '7' }),
      responds(503, {}, { 'retry-after': date }),
      responds(200),
    );
    await settled(create(client));
    expect(sent.map(({ at }) => at - Date.parse('2026-01-31T12:00:00Z'))).toEqual([0, 7000, 10_000]);
  });

  it.each(['soon', '7 minutes', 'in 7'])('a Retry-After that says %s is not waited for', async (text) => {
    vi.mocked(Math.random).mockReturnValue(0);
    const { client, sent } = scripted(responds(503, {}, { 'retry-after': text }), responds(200));
    await settled(create(client));
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 0]);
  });

  it('a Retry-After of two minutes is waited for', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    const { client, sent } = scripted(responds(429, {}, { 'retry-after': '120' }), responds(200));
    expect(await settled(create(client))).toEqual({ status: 'fulfilled', value: coupon });
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 120_000]);
  });

  it('the settings of the client say how many retries are made, none included', async () => {
    for (const maxRetries of [0, 1]) {
      const fetch = vi.fn<typeof globalThis.fetch>(fails);
      const client = createClient({ apiKey: 'key', baseUrl: 'https://api.example.com', fetch, maxRetries });
      expect(await settled(create(client))).toMatchObject({ reason: { code: 'network_error' } });
      expect(fetch).toHaveBeenCalledTimes(maxRetries + 1);
    }
  });

  it('a Retry-After of more than two minutes fails the call at once', async () => {
    const { client, sent } = scripted(responds(429, {}, { 'retry-after': '121' }));
    expect(await settled(create(client))).toMatchObject({ reason: { code: 'rate_limited' } });
    expect(sent).toHaveLength(1);
  });

  it('the last error is thrown after maxRetries', async () => {
    const { client, sent } = scripted(fails, responds(503));
    expect(await settled(create(client, { maxRetries: 1 }))).toMatchObject({ reason: { status: 503 } });
    expect(sent).toHaveLength(2);
    const once = scripted(fails);
    const outcome = await settled(create(once.client, { maxRetries: 0 }));
    expect(outcome).toMatchObject({ reason: { code: 'network_error', status: undefined } });
    expect(once.sent).toHaveLength(1);
  });
});

describe('signals', () => {
  it('a signal ends the wait between attempts with its reason', async () => {
    const { client, sent } = scripted(responds(429, {}, { 'retry-after': '60' }));
    const controller = new AbortController();
    const call = Promise.allSettled([create(client, { signal: controller.signal })]);
    await vi.advanceTimersByTimeAsync(1000);
    controller.abort(new Error('changed my mind'));
    expect(await call).toMatchObject([{ reason: { message: 'changed my mind' } }]);
    expect(sent).toHaveLength(1);
  });

  it('a signal ends an attempt with its reason, and the wait leaves no timer behind', async () => {
    const hangs = (_url: unknown, { signal }: RequestInit = {}) =>
      new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const { client } = scripted(responds(429, {}, { 'retry-after': '60' }));
    const waiting = new AbortController();
    const refused = Promise.allSettled([create(client, { signal: waiting.signal })]);
    await vi.advanceTimersByTimeAsync(1000);
    waiting.abort(new Error('changed my mind'));
    await refused;
    expect(vi.getTimerCount()).toBe(0);

    const running = new AbortController();
    const another = createClient({ apiKey: 'key', baseUrl: 'https://api.example.com', fetch: hangs });
    const call = Promise.allSettled([create(another, { signal: running.signal })]);
    await vi.advanceTimersByTimeAsync(1);
    running.abort(new Error('closed the page'));
    expect(await call).toMatchObject([{ reason: { message: 'closed the page' } }]);
  });

  it('a signal that was aborted before sends nothing', async () => {
    const { client, sent } = scripted(responds(200));
    expect(await settled(create(client, { signal: AbortSignal.abort() }))).toMatchObject({ status: 'rejected' });
    expect(sent).toEqual([]);
  });

  it('an attempt that hangs ends with its timeout, and is retried', async () => {
    vi.useRealTimers();
    vi.mocked(Math.random).mockReturnValue(0);
    const hangs = (_url: unknown, { signal }: RequestInit = {}) =>
      new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const fetch = vi.fn<typeof globalThis.fetch>(hangs);
    const client = createClient({
      apiKey: 'key',
      baseUrl: 'https://api.example.com',
      timeoutMs: 5,
      maxRetries: 1,
      fetch,
    });
    await expect(create(client)).rejects.toMatchObject({ code: 'timeout', status: undefined });
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

describe('errors', () => {
  const failure = async (status: number, body: unknown) => {
    const { client } = scripted(responds(status, body, { 'x-request-id': 'r-1' }));
    const outcome = await settled(create(client, { maxRetries: 0 }));
    if (outcome.status === 'fulfilled') throw new Error('The call succeeded');
    expect(outcome.reason).toBeInstanceOf(AffiliateProgramError);
    return outcome.reason;
  };

  it('has the message of either shape, the field, the request id, and a code', async () => {
    const details = [{ path: 'couponId', message: 'is required' }];
    expect(await failure(400, { error: 'couponId is required', details })).toMatchObject({
      message: 'couponId is required',
      status: 400,
      code: 'bad_request',
      field: 'couponId',
      requestId: 'r-1',
      details,
    });
    expect(await failure(404, { error: 404, message: 'Coupon not found' })).toMatchObject({
      message: 'Coupon not found',
      code: 'not_found',
      field: undefined,
      details: [],
    });
  });

  // docs/behavior.md#responses-of-the-gateway
  it.each([
    [413, 'Request Entity Too Large', 'body_too_large'],
    [414, 'Request-URI Too Long', 'address_too_long'],
    [429, 'Too Many Requests', 'rate_limited'],
    [431, 'Request Header Fields Too Large', 'headers_too_large'],
    [500, 'Internal Server Error', 'internal'],
    [503, 'Service Unavailable', 'unavailable'],
    [504, 'Gateway Timeout', 'unavailable'],
  ])('of the gateway, %i, has its status, its message and a code', async (status, message, code) => {
    const { client } = scripted(responds(status, { message }));
    const outcome = await settled(create(client, { maxRetries: 0 }));
    expect(outcome).toMatchObject({ reason: { status, message, code, requestId: undefined } });
  });

  it('has the reason of a code that cannot be redeemed as its code', async () => {
    const details = [{ path: 'promoCode', message: 'has expired', code: 'code_expired' }];
    expect(await failure(400, { error: 'promoCode has expired', details })).toMatchObject({ code: 'code_expired' });
  });

  it('a body that is not of the API still makes an error', async () => {
    const html = () => Promise.resolve(new Response('<html>', { status: 502, statusText: 'Bad Gateway' }));
    const { client } = scripted(html);
    const outcome = await settled(create(client, { maxRetries: 0 }));
    expect(outcome).toMatchObject({ reason: { message: 'The API returned 502 Bad Gateway', code: 'internal' } });
  });

  it('a success that is no JSON is an error too', async () => {
    const cut = () => Promise.resolve(new Response('{"id":', { headers: { 'content-type': 'application/json' } }));
    expect(await settled(create(scripted(cut).client))).toMatchObject({ reason: { code: 'invalid_response' } });
  });
});
