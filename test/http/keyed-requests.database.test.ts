import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ApiError, fieldError } from '../../shared/contract/errors.ts';
import type { Operation } from '../../shared/contract/operation.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { apiPath } from '../../shared/http/api.ts';
import { admitted } from '../../shared/platform/clients/admission.ts';
import { Page } from '../../shared/platform/table/page.ts';
import { RecordWithPage } from '../../shared/platform/table/paged-responses.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { type Given, handlersOf, readThing, responseTo, type Sent } from './served-path.ts';

beforeEach(() => {
  for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
  for (const name of ['RATE_LIMIT_READS', 'RATE_LIMIT_WRITES']) vi.stubEnv(name, '1000');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const query = z.strictObject({ id: z.string().optional() });
const read: Operation = { ...readThing, query, auth: 'key' };
const create: Operation = {
  ...{ ...read, id: 'createThing', method: 'POST', needs: ['IDEMPOTENCY:read'] },
  body: z.strictObject({ size: z.number() }),
};
const update: Operation = { ...create, id: 'updateThing', method: 'PATCH', needs: [] };
const makeKey = async () =>
  (await createProgram({ name: 'Repeated', ownerEmail: `${randomUUID()}@example.com` }, new Date())).apiKey;

/** A path whose handlers run as `respond` says, with how often each did. */
const path = (respond: (request: Given, times: number) => unknown = (_, times) => ({ times })) => {
  const given: Given[] = [];
  const operations = [read, create, update];
  const lambda = apiPath(
    ...handlersOf(operations, async (request) => {
      await admitted();
      given.push(request);
      return respond(request, given.length);
    }),
  );
  const ask = (apiKey: string, { headers, ...sent }: Sent = {}) =>
    responseTo(lambda, {
      ...{ method: 'POST', body: '{"size":1}', ...sent },
      headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'order-1', ...headers },
    });
  return { ask, given };
};

describe('a request with an Idempotency-Key', () => {
  it('is served once, and its response repeated', async () => {
    const { ask, given } = path();
    const key = await makeKey();
    const first = await ask(key);
    expect(await ask(key)).toMatchObject({
      ...{ status: 200, body: { times: 1 } },
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
    const { ask, given } = path();
    const key = await makeKey();
    await ask(key);
    const response = await ask(key, sent);
    expect(response.status).toBe(status);
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
    expect(given).toHaveLength(status === 200 ? 2 : 1);
  });

  it('is of one API key', async () => {
    const { ask, given } = path();
    for (const key of [await makeKey(), await makeKey()]) expect((await ask(key)).status).toBe(200);
    expect(given).toHaveLength(2);
  });

  it('is served each time where it reads, or where it has no key', async () => {
    const { ask, given } = path();
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
    { what: 'wrong input', error: fieldError('size', 'size is odd'), status: 400, isKept: false },
    { what: 'wrong input without a field', error: new ApiError('bad_request'), status: 400, isKept: false },
    { what: 'a creation that failed', error: new ApiError('creation_failed'), status: 500, isKept: false },
    { what: 'a failure of ours', error: new Error('broken'), status: 500, isKept: false },
  ])('that is refused for $what keeps its response: $isKept', async ({ error, status, isKept }) => {
    const { ask, given } = path(() => {
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
    const { ask } = path(({ body }) => {
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
    const { ask } = path(async () => {
      running.again ??= ask(key);
      return { status: (await running.again).status };
    });
    expect((await ask(key)).body).toEqual({ status: 409 });
    expect(await running.again).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
  });
});

describe('a creation that was interrupted after it wrote its record', () => {
  /** A creation that fails at first behind its write; a read finds what was written. */
  const interruptedPath = (found: (id: string) => unknown) => {
    const recordIds: (string | undefined)[] = [];
    const { ask, given } = path(async ({ idempotency, query: asked, body }, times) => {
      const { id } = Object(asked);
      if (id !== undefined) {
        expect(body).toEqual({});
        return found(id);
      }
      recordIds.push(await idempotency.existingRecordId());
      await writeTogether(idempotency.recordCreated(`record-${times}`));
      throw new Error('died');
    });
    return { ask, given, recordIds };
  };

  it.each<{ what: string; found: (id: string) => unknown }>([
    { what: 'the record', found: (id) => ({ id }) },
    { what: 'the record with a page of its parts', found: (id) => new RecordWithPage({ id }, undefined) },
    { what: 'a list of it', found: (id) => new Page([{ item: { id }, position: '' }], undefined) },
  ])('responds with the record as GET finds it: $what', async ({ found }) => {
    const { ask, given, recordIds } = interruptedPath(found);
    const key = await makeKey();
    expect((await ask(key)).status).toBe(500);
    const again = await ask(key);
    expect(again).toMatchObject({ status: 200, body: { id: 'record-1' } });
    expect(again.headers).not.toHaveProperty('idempotent-replayed');
    expect(await ask(key)).toMatchObject({ body: { id: 'record-1' }, headers: { 'idempotent-replayed': 'true' } });
    expect(given).toHaveLength(2);
    expect(recordIds).toEqual([undefined]);
  });

  it('runs again where its operation does not find records by itself, and knows of the record', async () => {
    const { ask, given, recordIds } = interruptedPath((id) => ({ id }));
    const key = await makeKey();
    for (const _ of ['first', 'again']) expect((await ask(key, { method: 'PATCH' })).status).toBe(500);
    expect(recordIds).toEqual([undefined, 'record-1']);
    expect(given).toHaveLength(2);
  });

  it('runs again where nothing was written', async () => {
    const { ask, given } = path((_, times) => {
      if (times === 1) throw new Error('died');
      return { times };
    });
    const key = await makeKey();
    expect((await ask(key)).status).toBe(500);
    expect((await ask(key)).body).toEqual({ times: 2 });
    expect(given).toHaveLength(2);
  });
});
