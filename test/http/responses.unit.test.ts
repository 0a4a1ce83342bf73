import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ApiError, fieldError, requireRecord } from '../../shared/contract/errors.ts';
import { CacheableDocument } from '../../shared/http/cacheable-document.ts';
import { encodeCursor } from '../../shared/http/cursor.ts';
import { publicUrl, rateLimitHeaders } from '../../shared/http/respond.ts';
import { FeedPage, maxPageBytes, Page } from '../../shared/platform/table/page.ts';
import { CsvPage, RecordWithPage } from '../../shared/platform/table/paged-responses.ts';
import { type PublicOperation, readThing, type Sent, servedPath } from './served-path.ts';

beforeEach(() => {
  for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv('CURSOR_KEY', 'the key of cursors');
  vi.stubEnv('API_URL', 'https://api.example.com');
});

const cursors = { cursor: z.string().optional(), after: z.string().optional(), name: z.string().optional() };
const list: PublicOperation = { ...readThing, query: z.strictObject(cursors) };
const everyHeader = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=63072000',
  'x-request-id': 'request-1',
};
const jsonHeaders = { ...everyHeader, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
const scope = { programId: '', operationId: 'readThing', filters: {}, parameter: 'cursor' as const };
const responseOf = (operation: PublicOperation, result: unknown, sent: Sent = {}) =>
  servedPath([operation], result)(sent);
const pageOf = (items: readonly unknown[], next?: string) =>
  new Page(
    items.map((item, at) => ({ item, position: `position-${at}` })),
    next,
  );

describe('the response with one record', () => {
  it('is what the schema says of it, with its version as ETag', async () => {
    const operation = { ...readThing, response: z.object({ version: z.number(), size: z.number() }) };
    const response = await responseOf(operation, { version: 3, size: 7, secret: 'x' });
    expect(response).toMatchObject({ status: 200, body: { version: 3, size: 7 } });
    expect(response.body).not.toHaveProperty('secret');
    expect(response.headers).toEqual({ ...jsonHeaders, etag: '"3"' });
  });

  it('has the version as ETag although the schema does not show it', async () => {
    const operation = { ...readThing, response: z.object({ size: z.number() }) };
    const response = await responseOf(operation, { version: 3, size: 7 });
    expect(response).toMatchObject({ body: { size: 7 }, headers: { etag: '"3"' } });
  });

  it.each([{ size: 1 }, 'text', null])('has an ETag of its content where it has no version: %j', async (record) => {
    const etagOf = async (value: unknown) => (await responseOf(readThing, value)).headers.etag;
    expect(await etagOf(record)).toMatch(/^"[\w-]{27}"$/);
    expect(await etagOf(record)).toBe(await etagOf(record));
    expect(await etagOf(record)).not.toBe(await etagOf({ size: 2 }));
  });

  it('has no ETag after a deletion', async () => {
    const remove = { ...readThing, method: 'DELETE' as const };
    const { headers } = await responseOf(remove, { version: 3 }, { method: 'DELETE' });
    expect(headers).toEqual(jsonHeaders);
  });

  it('varies by Accept where there is CSV too', async () => {
    expect((await responseOf({ ...readThing, csv: true }, {})).headers.vary).toBe('accept');
    expect((await responseOf({ ...readThing, csv: true }, pageOf([]))).headers.vary).toBe('accept');
    expect((await responseOf(readThing, {})).headers).not.toHaveProperty('vary');
  });

  it('has a link to the rest of its parts', async () => {
    const response = await responseOf(list, new RecordWithPage({ version: 4, parts: [1] }, 'position-1'));
    expect(response.body).toEqual({ version: 4, parts: [1] });
    const address = `https://api.example.com/api/v1/things?cursor=${encodeCursor(scope, 'position-1')}`;
    expect(response.headers).toEqual({ ...jsonHeaders, etag: '"4"', link: `<${address}>; rel="next"` });
    const whole = await responseOf(list, new RecordWithPage({ version: 4 }, undefined));
    expect(whole.headers).not.toHaveProperty('link');
  });
});

describe('the response with a page', () => {
  const nextOf = (headers: Record<string, unknown>): URL => {
    const [, address] = /^<(.*)>; rel="next"$/.exec(String(headers.link)) ?? [];
    return new URL(address ?? '');
  };

  it('is an array, and links to the next with the same filters', async () => {
    const response = await responseOf(list, pageOf([{ a: 1 }, { a: 2 }], 'position-9'), {
      query: 'name=A%26B&cursor=',
    });
    expect(response.status).toBe(400);
    const first = await responseOf(list, pageOf([{ a: 1 }, { a: 2 }], 'position-9'), { query: 'name=A%26B' });
    expect(first).toMatchObject({ status: 200, body: [{ a: 1 }, { a: 2 }] });
    expect(first.headers).toEqual({ ...jsonHeaders, link: expect.any(String) });
    const next = nextOf(first.headers);
    expect(`${next.origin}${next.pathname}`).toBe('https://api.example.com/api/v1/things');
    const cursor = encodeCursor({ ...scope, filters: { name: 'A&B' } }, 'position-9');
    expect(Object.fromEntries(next.searchParams)).toEqual({ name: 'A&B', cursor });
    const last = await responseOf(list, pageOf([{ a: 3 }]), { query: next.search.slice(1) });
    expect(last).toMatchObject({ status: 200, body: [{ a: 3 }], given: { page: { after: 'position-9' } } });
    expect(last.headers).toEqual(jsonHeaders);
  });

  it('replaces the cursor that it was asked with', async () => {
    const cursor = encodeCursor(scope, 'position-1');
    const { headers } = await responseOf(list, pageOf([1], 'position-2'), { query: `cursor=${cursor}` });
    expect(nextOf(headers).searchParams.getAll('cursor')).toEqual([encodeCursor(scope, 'position-2')]);
  });

  it('shows of each record what the schema says', async () => {
    const operation = { ...list, response: z.object({ size: z.number() }) };
    expect((await responseOf(operation, pageOf([{ size: 1, secret: 'x' }]))).body).toEqual([{ size: 1 }]);
  });

  it('ends before it is larger than 4 MB, and goes on behind its last record', async () => {
    const half = 'é'.repeat((maxPageBytes / 2 - 2) / 2);
    const exact = await responseOf(list, pageOf([half, half], 'position-9'));
    expect(exact.body).toHaveLength(2);
    expect(nextOf(exact.headers).searchParams.get('cursor')).toBe(encodeCursor(scope, 'position-9'));
    const over = await responseOf(list, pageOf([half, `${half}a`, 'b'], 'position-9'));
    expect(over.body).toHaveLength(1);
    expect(nextOf(over.headers).searchParams.get('cursor')).toBe(encodeCursor(scope, 'position-0'));
    const large = await responseOf(list, pageOf([`${half}${half}${half}`, 'b']));
    expect(large.body).toHaveLength(1);
    expect(nextOf(large.headers).searchParams.get('cursor')).toBe(encodeCursor(scope, 'position-0'));
  });

  it('of a feed says where the next read begins, also where there is nothing more', async () => {
    const feed = { ...scope, parameter: 'after' as const };
    const entries = [{ item: 1, position: 'position-0' }];
    const more = await responseOf(list, new FeedPage(entries, { end: 'position-0', hasMore: true }), {
      query: 'after=start',
    });
    const after = encodeCursor(feed, 'position-0');
    expect(more.headers['next-after']).toBe(after);
    expect(Object.fromEntries(nextOf(more.headers).searchParams)).toEqual({ after });
    const none = await responseOf(list, new FeedPage([], { end: 'position-7', hasMore: false }), {
      query: 'after=start',
    });
    expect(none.headers).toEqual({ ...jsonHeaders, 'next-after': encodeCursor(feed, 'position-7') });
  });

  it('of a feed that ends early goes on behind its last record', async () => {
    const half = 'a'.repeat(maxPageBytes / 2);
    const entries = ['one', 'two'].map((position) => ({ item: half, position }));
    const page = new FeedPage(entries, { end: 'three', hasMore: false });
    const { headers } = await responseOf(list, page, { query: 'after=start' });
    expect(headers['next-after']).toBe(encodeCursor({ ...scope, parameter: 'after' }, 'one'));
  });
});

describe('the response as CSV', () => {
  it('is a file, with a link to the rest', async () => {
    const operation = { ...list, csv: true };
    const csvHeaders = {
      ...jsonHeaders,
      'content-type': 'text/csv; charset=utf-8',
      vary: 'accept',
      'content-disposition': 'attachment; filename="payouts.csv"',
    };
    const response = await responseOf(operation, new CsvPage('a,b\n', 'payouts.csv', undefined));
    expect(response).toMatchObject({ status: 200, text: 'a,b\n' });
    expect(response.headers).toEqual(csvHeaders);
    const more = await responseOf(operation, new CsvPage('a,b\n', 'payouts.csv', 'position-1'));
    expect(more.headers).toEqual({ ...csvHeaders, link: expect.stringContaining(encodeCursor(scope, 'position-1')) });
  });
});

describe('the response with a document', () => {
  it('is what the document says to the headers of the request', async () => {
    const document = new CacheableDocument('the text', { 'content-type': 'text/plain' });
    const { etag, ...headers } = document.respond({}).headers ?? {};
    const response = await responseOf(readThing, document);
    expect(response).toMatchObject({ status: 200, text: 'the text' });
    expect(response.headers).toEqual({ ...everyHeader, ...headers, etag });
    const again = await responseOf(readThing, document, { headers: { 'if-none-match': String(etag) } });
    expect(again).toMatchObject({ status: 304, text: '', headers: everyHeader });
  });
});

describe('an error response', () => {
  it('has its status, message, details and headers', async () => {
    const error = new ApiError('rate_limited', undefined, { headers: { 'retry-after': '7' } });
    const response = await responseOf(readThing, error);
    expect(response).toMatchObject({ status: 429, body: { error: 'Too many requests. Please slow down.' } });
    expect(response.headers).toEqual({ ...jsonHeaders, 'retry-after': '7' });
    const wrong = await responseOf(readThing, fieldError('size', 'size is odd', 'odd'));
    const details = [{ path: 'size', message: 'size is odd', code: 'odd' }];
    expect(wrong.body).toEqual({ error: 'size is odd', details });
    expect(wrong.headers).toEqual(jsonHeaders);
  });

  it.each<{ method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; isChange: boolean }>([
    { method: 'GET', isChange: false },
    { method: 'POST', isChange: false },
    { method: 'PUT', isChange: true },
    { method: 'PATCH', isChange: true },
    { method: 'DELETE', isChange: true },
  ])('of $method has the form of a change: $isChange, with details', async ({ method, isChange }) => {
    const operation = { ...readThing, method, connector: true };
    const error = fieldError('size', 'size is odd');
    const details = [{ path: 'size', message: 'size is odd' }];
    const plain = { error: 'size is odd', details };
    const expected = isChange ? { error: 400, message: 'size is odd', details } : plain;
    expect((await responseOf(operation, error, { method })).body).toEqual(expected);
    expect((await responseOf(operation, error, { method, onConnector: true })).body).toEqual(plain);
    const limited = await responseOf(operation, new ApiError('rate_limited'), { method });
    expect(limited.body).toEqual({ error: 'Too many requests. Please slow down.' });
  });

  it('says nothing of a failure inside', async () => {
    const response = await responseOf(readThing, new Error('secret'));
    expect(response).toMatchObject({ status: 500 });
    expect(response.text).not.toContain('secret');
  });
});

describe('on the connector, a list with one record', () => {
  const connected = { ...list, lists: true, connector: true } as const;
  const askConnector = (result: unknown) => responseOf(connected, result, { onConnector: true });
  const notFound = (() => {
    try {
      return requireRecord<Error>(undefined, 'Thing');
    } catch (error) {
      return error;
    }
  })();

  it.each([
    { what: 'the record', result: { size: 1 }, body: [{ size: 1 }] },
    { what: 'the record, of its parts too', result: new RecordWithPage({ size: 1 }, undefined), body: [{ size: 1 }] },
    { what: 'a page as it is', result: pageOf([{ size: 1 }, { size: 2 }]), body: [{ size: 1 }, { size: 2 }] },
    { what: 'nothing for no such record', result: notFound, body: [] },
  ])('is an array of $what', async ({ result, body }) => {
    expect(await askConnector(result)).toMatchObject({ status: 200, body });
  });

  it('links to the rest of its parts', async () => {
    const { headers } = await askConnector(new RecordWithPage({ size: 1 }, 'position-1'));
    const cursor = encodeCursor({ ...scope, operationId: 'connectorReadThing' }, 'position-1');
    expect(headers.link).toBe(`<https://api.example.com/api/automation/things?cursor=${cursor}>; rel="next"`);
    expect((await askConnector(notFound)).headers).toEqual(jsonHeaders);
  });

  it('is CSV as it is, and an error as it is', async () => {
    expect(await askConnector(new CsvPage('a,b\n', 'a.csv', undefined))).toMatchObject({ status: 200, text: 'a,b\n' });
    expect(await askConnector(new ApiError('program_not_found'))).toMatchObject({ status: 404 });
    expect(await askConnector(new Error('broken'))).toMatchObject({ status: 500 });
  });

  it('is an object where the operation is not a list', async () => {
    const read = { ...list, connector: true };
    expect((await responseOf(read, { size: 1 }, { onConnector: true })).body).toEqual({ size: 1 });
  });
});

it('the headers of rate limits are whole numbers as text', () => {
  const usage = { limitPerMinute: 600, remaining: 0, resetSeconds: 60, retryAfterSeconds: 3 };
  expect(rateLimitHeaders(usage)).toEqual({
    'ratelimit-limit': '600',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '60',
  });
});

it('addresses come from the deployment, and not without one', () => {
  expect(publicUrl('/a?b=c').href).toBe('https://api.example.com/a?b=c');
  vi.stubEnv('API_URL', '');
  expect(() => publicUrl('/a')).toThrow('API_URL');
});
