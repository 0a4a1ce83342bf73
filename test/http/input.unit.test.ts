import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type CursorScope, encodeCursor } from '../../shared/http/cursor.ts';
import { type PublicOperation, readThing, servedPath } from './served-path.ts';

beforeEach(() => {
  for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv('CURSOR_KEY', 'the key of cursors');
});

const query = z.strictObject({
  cursor: z.string().optional(),
  after: z.string().optional(),
  name: z.string().optional(),
  createdAfter: z.string().optional(),
  createdBefore: z.string().optional(),
  updatedAfter: z.string().optional(),
  limit: z.coerce.number<string>().int().min(1).max(100).default(50),
});
const list: PublicOperation = { ...readThing, query };
const ask = servedPath([list]);
const scopeOf = (scope: Partial<CursorScope> = {}): CursorScope => ({
  programId: '',
  operationId: 'readThing',
  filters: {},
  parameter: 'cursor',
  ...scope,
});
const addressed = (values: Record<string, string>): string => new URLSearchParams(values).toString();

describe('the query of a request', () => {
  it('is given by its schema, and as a page', async () => {
    const times = { createdAfter: '2026-01-01', createdBefore: '2026-02-01', updatedAfter: '2026-01-15' };
    const { given } = await ask({ query: addressed({ limit: '7', name: 'A', ...times }) });
    expect(given?.query).toEqual({ limit: 7, name: 'A', ...times });
    expect(given?.page).toEqual({ limit: 7, after: undefined, feedAfter: undefined, ...times });
  });

  it('is a page of the default size where nothing is asked for', async () => {
    const { given } = await ask();
    expect(given?.page).toEqual({ limit: 50 });
    expect((await servedPath([readThing])()).given?.page).toEqual({ limit: 0 });
  });

  it.each<{ what: string; sent: string; path: string; message: string }>([
    { what: 'an unknown parameter', sent: 'nmae=A', path: 'nmae', message: 'nmae' },
    { what: 'a value that is not allowed', sent: 'limit=101', path: 'limit', message: 'limit must be at most 100' },
    { what: 'a parameter that is given twice', sent: 'name=A&name=A', path: 'name', message: 'name is given twice' },
    { what: 'a NUL character', sent: 'name=a%00', path: 'name', message: 'name has a NUL character' },
    { what: 'bytes that are not UTF-8', sent: 'name=%FF', path: 'name', message: 'name has bytes that are not UTF-8' },
    { what: 'the name of a prototype', sent: '__proto__=a', path: '__proto__', message: '__proto__' },
  ])('with $what is a 400 that names it', async ({ sent, path, message }) => {
    const response = await ask({ query: sent });
    expect(response).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(response.body.error).toContain(message);
    expect(response.given).toBeUndefined();
  });

  it('on the connector ignores what it does not know, and what is empty', async () => {
    const connected = servedPath([{ ...list, connector: true }]);
    const response = await connected({ onConnector: true, query: 'nmae=A&nmae=B&name=&limit=5' });
    expect(response.given?.query, response.text).toEqual({ limit: 5 });
    expect((await connected({ onConnector: true, query: 'name=A&name=B' })).status).toBe(400);
  });
});

describe('a cursor of a request', () => {
  it('is the position that it was made for', async () => {
    const filters = { name: 'A' };
    const cursor = encodeCursor(scopeOf({ filters }), 'position-1');
    const { given } = await ask({ query: addressed({ cursor, limit: '9', name: 'A' }) });
    expect(given?.page).toEqual({ limit: 9, after: 'position-1' });
  });

  it.each<{ what: string; scope: Partial<CursorScope> }>([
    { what: 'another program', scope: { programId: 'program-1' } },
    { what: 'another operation', scope: { operationId: 'listOthers' } },
    { what: 'other filters', scope: { filters: { name: 'B' } } },
    { what: 'a feed', scope: { parameter: 'after' } },
  ])('of $what is refused', async ({ scope }) => {
    const cursor = encodeCursor(scopeOf(scope), 'position-1');
    expect(await ask({ query: addressed({ cursor }) })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'cursor' }] },
    });
  });

  it('is bound to the parameters of the path', async () => {
    const part = servedPath([{ ...list, path: '/things/{id}', parameters: z.strictObject({ id: z.string() }) }]);
    const askFor = (id: string, cursor: string) =>
      part({ path: '/things/{id}', parameters: { id }, query: addressed({ cursor }) });
    const cursor = encodeCursor(scopeOf({ filters: { id: 'a' } }), 'position-1');
    expect((await askFor('a', cursor)).given).toMatchObject({ parameters: { id: 'a' }, page: { after: 'position-1' } });
    expect((await askFor('b', cursor)).status).toBe(400);
  });

  it('of a feed is a position, or one of two words', async () => {
    const after = encodeCursor(scopeOf({ parameter: 'after' }), 'position-1');
    const feedAfter = async (value: string) => (await ask({ query: addressed({ after: value }) })).given?.page;
    expect(await feedAfter(after)).toEqual({ limit: 50, feedAfter: 'position-1' });
    expect(await feedAfter('start')).toEqual({ limit: 50, feedAfter: 'start' });
    expect(await feedAfter('now')).toEqual({ limit: 50, feedAfter: 'now' });
    const cursor = encodeCursor(scopeOf(), 'position-1');
    const wrong = await ask({ query: addressed({ after: cursor }) });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'after' }] } });
  });
});

describe('the parameters of a path', () => {
  it('are a 404 with the message of their schema where they name nothing', async () => {
    const parameters = z.strictObject({ id: z.string().regex(/^\d+$/, { error: 'Thing not found' }) });
    const one = servedPath([{ ...readThing, path: '/things/{id}', parameters }]);
    const askFor = (id: string) => one({ path: '/things/{id}', parameters: { id } });
    expect(await askFor('x')).toMatchObject({ status: 404, body: { error: 'Thing not found' } });
    expect((await askFor('7')).given?.parameters).toEqual({ id: '7' });
    expect((await one({ path: '/things/{id}' })).status).toBe(404);
    expect((await ask({ parameters: { id: 'x' } })).given?.parameters).toEqual({});
  });
});
