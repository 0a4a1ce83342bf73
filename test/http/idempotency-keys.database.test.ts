import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { createCoupon as couponOperation } from '../../shared/contract/coupons.ts';
import { ApiError, fieldError } from '../../shared/contract/errors.ts';
import { createCoupon } from '../../shared/domain/coupons/create-coupon.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { type IdempotentRequest, once as runOnce } from '../../shared/http/idempotency.ts';
import { admitted } from '../../shared/platform/clients/admission.ts';
import { bodyOf, newProgram, now, outcomeOf } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';

const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const hours = 60 * 60;

const newRequest = (overrides: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  programId: randomUUID(),
  keyId: randomUUID(),
  apiKey: randomUUID(),
  endpoint: 'POST /coupons',
  idempotencyKey: 'order-1',
  content: { name: 'Spring' },
  now,
  ...overrides,
});

/** What runs before the first write does not count: it is thrown away where the request came before. */
const once: typeof runOnce = (request, run) =>
  runOnce(request, async (idempotency, wasInterrupted) => {
    await admitted();
    return run(idempotency, wasInterrupted);
  });

const ok = { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"1"}' };

/** What runs for a request, and how often it did. */
const handler = (respond: () => unknown = () => ok) => vi.fn(async () => (await respond()) as typeof ok);

const replayed = { ...ok, headers: { ...ok.headers, 'idempotent-replayed': 'true' } };

describe('a request with an Idempotency-Key', () => {
  it('runs once, and its response is replayed', async () => {
    const request = newRequest();
    const run = handler();
    expect(await once(request, run)).toEqual(ok);
    expect(await once({ ...request, now: later(1) }, run)).toEqual(replayed);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it.each([
    { seconds: 24 * hours, runs: 1 },
    { seconds: 24 * hours + 1, runs: 2 },
  ])('that comes again after $seconds s has run $runs times', async ({ seconds, runs }) => {
    const request = newRequest();
    const run = handler();
    await once(request, run);
    const again = await once({ ...request, now: later(seconds) }, run);
    expect(run).toHaveBeenCalledTimes(runs);
    expect('idempotent-replayed' in (again.headers ?? {})).toBe(runs === 1);
  });

  it('may have another body after 24 hours, and makes another record then', async () => {
    const program = newProgram();
    const request = newRequest({ programId: program.id });
    const createAt = (at: Date, name: string) =>
      once({ ...request, now: at, content: { name } }, async (idempotency) => {
        expect(await idempotency.existingRecordId()).toBeUndefined();
        const { id } = await createCoupon(
          program.id,
          bodyOf(couponOperation, { name, percentOff: 20 }),
          at,
          idempotency,
        );
        return { ...ok, body: id };
      });
    const first = await createAt(now, 'Spring');
    expect(await outcomeOf(() => createAt(later(24 * hours), 'Summer'))).toEqual({ status: 422 });
    const second = await createAt(later(24 * hours + 1), 'Summer');
    expect(second.body).not.toBe(first.body);
    expect((await createAt(later(48 * hours), 'Summer')).body).toBe(second.body);
  });

  it.each<{ is: string; changes: Partial<IdempotentRequest>; runs: number }>([
    { is: 'another program', changes: { programId: randomUUID() }, runs: 2 },
    { is: 'another API key', changes: { keyId: randomUUID() }, runs: 2 },
    { is: 'another endpoint', changes: { endpoint: 'PUT /coupons' }, runs: 2 },
    { is: 'another key', changes: { idempotencyKey: 'order-2' }, runs: 2 },
    { is: 'the key in other letters', changes: { idempotencyKey: 'ORDER-1' }, runs: 2 },
    { is: 'its body in another order', changes: { content: { b: [1, { d: 2, c: 3 }], a: 1 } }, runs: 1 },
  ])('of $is runs $runs times', async ({ changes, runs }) => {
    const request = newRequest({ content: { a: 1, b: [1, { c: 3, d: 2 }] } });
    const run = handler();
    await once(request, run);
    await once({ ...request, ...changes }, run);
    expect(run).toHaveBeenCalledTimes(runs);
  });

  it.each([{ content: { name: 'Summer' } }, { content: { name: 'Spring', valid: true } }, { content: null }])(
    'with the body $content instead is refused',
    async ({ content }) => {
      const request = newRequest();
      const run = handler();
      await once(request, run);
      expect(await outcomeOf(() => once({ ...request, content }, run))).toEqual({ status: 422 });
      expect(run).toHaveBeenCalledTimes(1);
    },
  );

  it.each([
    { length: 0, outcome: { status: 400, path: 'Idempotency-Key' } },
    { length: 1, outcome: 'accepted' },
    { length: 255, outcome: 'accepted' },
    { length: 256, outcome: { status: 400, path: 'Idempotency-Key' } },
  ])('of $length characters', async ({ length, outcome }) => {
    expect(await outcomeOf(() => once(newRequest({ idempotencyKey: 'k'.repeat(length) }), handler()))).toEqual(outcome);
  });
});

describe('a response', () => {
  const cases: { is: string; error: Error; isKept: boolean; mayChange: boolean }[] = [
    { is: 'a 400 for its input', error: fieldError('name', 'name is required'), isKept: false, mayChange: true },
    { is: 'a 404', error: new ApiError('not_found', 'Coupon not found'), isKept: false, mayChange: false },
    { is: 'a 5xx', error: new ApiError('unavailable'), isKept: false, mayChange: false },
    { is: 'an error of ours', error: new Error('broken'), isKept: false, mayChange: false },
  ];
  it.each(cases)('that is $is is not kept: the same request runs again', async ({ error, mayChange }) => {
    const request = newRequest();
    const fail = handler(() => {
      throw error;
    });
    await expect(once(request, fail)).rejects.toBe(error);
    await expect(once({ ...request, now: later(1) }, fail)).rejects.toBe(error);
    expect(fail).toHaveBeenCalledTimes(2);
    const other = () => once({ ...request, now: later(1), content: 'another' }, handler());
    expect(await outcomeOf(other)).toEqual(mayChange ? 'accepted' : { status: 422 });
    if (!mayChange) expect(await once({ ...request, now: later(2) }, handler())).toEqual(ok);
  });

  it('that says that it was our failure is not kept', async () => {
    const request = newRequest();
    const run = vi.fn(async (idempotency: { keepRetryable: () => void }) => {
      idempotency.keepRetryable();
      return ok;
    });
    expect(await once(request, run)).toEqual(ok);
    expect(await once(request, run)).toEqual(ok);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it.each([
    { kilobytes: 180, isKept: true },
    { kilobytes: 260, isKept: false },
  ])('of $kilobytes KB that cannot be compressed is kept: $isKept', async ({ kilobytes, isKept }) => {
    const request = newRequest();
    const body = Array.from({ length: kilobytes }, () => randomUUID().repeat(4))
      .map(() => Buffer.from(crypto.getRandomValues(new Uint8Array(768))).toString('base64'))
      .join('');
    const run = handler(() => ({ ...ok, body }));
    const response = await once(request, run);
    expect(response.body).toBe(body);
    expect(response.headers).toEqual({ ...ok.headers, ...(!isKept && { 'idempotent-kept': 'false' }) });
    expect((await once(request, run)).body).toBe(body);
    expect(run).toHaveBeenCalledTimes(isKept ? 1 : 2);
  });

  it('is in the table encrypted with the API key alone', async () => {
    const request = newRequest();
    await once(request, handler());
    await expect(once({ ...request, apiKey: randomUUID() }, handler())).rejects.toThrow('decryption');
  });
});

describe('race: a request', () => {
  it('that comes again while it runs is a 409, and runs once', async () => {
    const request = newRequest();
    let outcome: unknown;
    const run = handler(async () => {
      outcome = await outcomeOf(() => once({ ...request, now: later(60) }, handler()));
      return ok;
    });
    expect(await once(request, run)).toEqual(ok);
    expect(outcome).toEqual({ status: 409 });
    expect(await once(request, run)).toEqual(replayed);
  });

  it.each([
    { seconds: 60, outcome: { status: 409 } },
    { seconds: 61, outcome: 'accepted' },
  ])('is presumed dead after a minute: $seconds s', async ({ seconds, outcome }) => {
    const request = newRequest();
    const { promise: forever, resolve } = Promise.withResolvers<typeof ok>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const dead = once(request, () => {
      start();
      return forever;
    });
    await started;
    const revived = { ...request, now: later(seconds) };
    expect(await outcomeOf(() => once({ ...revived, content: 'another' }, handler()))).toEqual({
      status: 422,
    });
    expect(await outcomeOf(() => once(revived, handler()))).toEqual(outcome);
    resolve(ok);
    await dead;
  });

  it('that was presumed dead keeps no response over that of the run that came after it', async () => {
    const request = newRequest();
    const [old, young] = [
      { ...ok, body: 'old' },
      { ...ok, body: 'young' },
    ];
    const response = await once(request, async () => {
      await once({ ...request, now: later(61) }, async () => young);
      return old;
    });
    expect(response).toEqual({ ...old, headers: { ...ok.headers, 'idempotent-kept': 'false' } });
    expect((await once({ ...request, now: later(62) }, handler())).body).toBe('young');
  });

  it('makes its record once, where another run that presumed it dead made it first', async () => {
    const program = newProgram();
    const request = newRequest({ programId: program.id });
    const create = (at: Date) =>
      once({ ...request, now: at }, async (idempotency) => {
        const existing = await idempotency.existingRecordId();
        const body = bodyOf(couponOperation, { name: 'Spring', percentOff: 20 });
        const id = existing ?? (await createCoupon(program.id, body, at, idempotency)).id;
        return { ...ok, body: id };
      });
    const ids: (string | undefined)[] = [];
    // The first write takes the key, the second makes the record.
    const first = interrupted(
      () => create(now),
      async () => ids.push((await create(later(61))).body),
      2,
    );
    await expect(first).rejects.toThrow('presumed dead');
    const found: string[] = [];
    for await (const { id } of coupons.all(program.id)) found.push(id);
    expect(found).toEqual(ids);
    expect((await create(later(62))).body).toBe(ids[0]);
  });
});
