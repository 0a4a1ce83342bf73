import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { operation } from '../../shared/contract/operation.ts';
import { type PublicOperation, readThing, type Sent, servedPath } from './served-path.ts';

beforeEach(() => {
  for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv('CURSOR_KEY', 'the key of cursors');
  vi.stubEnv('API_URL', 'https://api.example.com');
});

const body = z.strictObject({ size: z.number(), name: z.string().optional() });
const create: PublicOperation = { ...readThing, id: 'createThing', method: 'POST', body };
const update: PublicOperation = { ...create, id: 'updateThing', method: 'PATCH' };
const readOne: PublicOperation = {
  ...readThing,
  id: 'readOneThing',
  path: '/things/{id}',
  parameters: z.strictObject({ id: z.uuid({ error: 'Thing not found' }) }),
};
const onConnector = { onConnector: true };
const withBody = { method: 'POST', body: '{"size":1}' };

describe('the operation of a request', () => {
  const ask = servedPath([readThing, create, readOne]);

  it.each<{ sent: Sent; status: number }>([
    { sent: {}, status: 200 },
    { sent: withBody, status: 200 },
    { sent: { path: '/things/{id}', parameters: { id: '019a0000-0000-7000-8000-000000000001' } }, status: 200 },
    { sent: { path: '/things/{id}', parameters: { id: 'x' } }, status: 404 },
    { sent: { method: 'PUT' }, status: 405 },
    { sent: { ...withBody, path: '/things/{id}' }, status: 405 },
  ])('$sent is answered with $status', async ({ sent, status }) => {
    expect((await ask(sent)).status).toBe(status);
  });

  it('is refused with the methods of this path alone', async () => {
    const response = await ask({ method: 'DELETE' });
    expect(response).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    expect(response.body.error).toBe('DELETE is not available on this path, only GET, POST');
  });

  it('is a GET for HEAD, without the body', async () => {
    const { headers } = await ask();
    const head = await ask({ method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '', headers });
    expect(head.given).toBeDefined();
  });

  it('is on the connector only where it was declared for it', async () => {
    const connected: PublicOperation = { ...readThing, connector: true };
    const own: PublicOperation = { ...create, surface: 'connector' };
    const both = servedPath([connected, update, own]);
    expect((await both({ ...onConnector })).status).toBe(200);
    expect((await both({ ...onConnector, ...withBody })).status).toBe(200);
    expect((await both({ ...onConnector, ...withBody, method: 'PATCH' })).headers.allow).toBe('GET, POST');
  });

  it('knows under which base path it was asked', async () => {
    const both = servedPath([{ ...readThing, connector: true }]);
    expect((await both()).given?.basePath).toBe('/api/v1');
    expect((await both(onConnector)).given?.basePath).toBe('/api/automation');
  });

  it('is given no program and no key where it needs none', async () => {
    const { given } = await ask();
    expect(given).toMatchObject({
      program: { id: '', currency: 'USD', commissionRate: 0, timeZone: 'UTC' },
      keyId: '',
    });
  });
});

describe('an error', () => {
  const failing = [readThing, update].map((one): PublicOperation => ({ ...one, connector: true }));
  const ask = servedPath(failing, new Error('broken'));
  const error = 'Something went wrong on our side. Please try again.';

  it.each<{ sent: Sent; body: object }>([
    { sent: {}, body: { error } },
    { sent: { ...withBody, method: 'PATCH' }, body: { error: 500, message: error } },
    { sent: { ...withBody, method: 'PATCH', ...onConnector }, body: { error } },
  ])('of $sent has the form of its method and surface', async ({ sent, body: expected }) => {
    expect(await ask(sent)).toMatchObject({ status: 500, body: expected });
  });

  it('has the fields of its path on the connector', async () => {
    const errorFields = { program_name: 'Program not found' };
    const labelled = servedPath([{ ...readThing, surface: 'connector', errorFields }], new Error('broken'));
    expect((await labelled(onConnector)).body).toEqual({ error, ...errorFields });
  });
});

describe('the body of a request', () => {
  const ask = servedPath([readThing, create]);
  const connected = servedPath([operation({ ...create, ids: ['name'], connector: true })]);

  it.each<{ what: string; sent: Sent; status: number; body?: object }>([
    { what: 'JSON', sent: {}, status: 200, body: { size: 1 } },
    { what: 'JSON of a vendor', sent: { headers: { 'content-type': 'application/a+json' } }, status: 200 },
    { what: 'JSON in capitals', sent: { headers: { 'content-type': 'Application/JSON' } }, status: 200 },
    {
      what: 'JSON with its character set',
      sent: { headers: { 'content-type': 'application/json; charset=utf-8' } },
      status: 200,
    },
    {
      what: 'JSON in base64',
      sent: { body: btoa('{"size":1}'), isBase64Encoded: true },
      status: 200,
      body: { size: 1 },
    },
    { what: 'another type', sent: { headers: { 'content-type': 'text/plain' } }, status: 415 },
    {
      what: 'a type that only begins as JSON',
      sent: { headers: { 'content-type': 'application/json5' } },
      status: 415,
    },
    { what: 'a type that only ends as JSON', sent: { headers: { 'content-type': 'x-application/json' } }, status: 415 },
    { what: 'no type', sent: { headers: { 'content-type': '' } }, status: 415 },
    { what: 'a form', sent: { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, status: 415 },
    {
      what: 'JSON with its character set after a space',
      sent: { headers: { 'content-type': 'application/json ; charset=utf-8' } },
      status: 200,
    },
    {
      what: 'JSON with a second type',
      sent: { headers: { 'content-type': 'application/json text/plain' } },
      status: 415,
    },
    { what: 'JSON that is cut off', sent: { body: '{' }, status: 400 },
    { what: 'a list', sent: { body: '[]' }, status: 400 },
    { what: 'null', sent: { body: 'null' }, status: 400 },
    { what: 'a text', sent: { body: '"text"' }, status: 400 },
    { what: 'a key that would change a prototype', sent: { body: '{"__proto__":{"size":1}}' }, status: 400 },
  ])('is $status for $what', async ({ sent, status, body: expected }) => {
    const response = await ask({ ...withBody, ...sent });
    expect(response.status).toBe(status);
    if (expected) expect(response.given?.body).toEqual(expected);
  });

  it('says what is wrong with it', async () => {
    const messageOf = async (text: string) => (await ask({ method: 'POST', body: text })).body.error;
    expect(await messageOf('{')).toBe('The body is missing or is not valid JSON');
    expect(await messageOf('[]')).toBe('The body must be a JSON object');
    expect(await messageOf('7')).toBe('The body must be a JSON object');
    expect(await messageOf('null')).toBe('The body must be a JSON object');
    expect(await messageOf('{"__proto__":{}}')).toContain('__proto__');
  });

  it('is missing where there is none', async () => {
    const response = await ask({ method: 'POST' });
    expect(response).toMatchObject({ status: 400, body: { error: 'The body is missing or is not valid JSON' } });
  });

  it('is not needed where the query has all that is required', async () => {
    const named = servedPath([operation<PublicOperation>({ ...create, method: 'DELETE', ids: ['size', 'name'] })]);
    const sent = { method: 'DELETE', headers: { 'content-type': '' } };
    for (const none of [{}, { body: '' }])
      expect(await named({ ...sent, ...none, query: 'size=7&name=A' })).toMatchObject({
        status: 200,
        given: { body: { size: 7, name: 'A' } },
      });
    const refused = await named({ ...sent, query: 'name=A' });
    expect(refused).toMatchObject({ status: 400, body: { error: 400, message: 'size is required' } });
    const both = await named({ ...withBody, method: 'DELETE', query: 'size=2' });
    expect(both.body.message).toBe('size has one value in the query and another in the body');
    const unknown = await named({ ...withBody, method: 'DELETE', query: 'color=red' });
    expect(unknown.body.message).toBe('color is not a known query parameter');
  });

  it.each(['0x7', '7e0', '+7', '-7', '7.0', ' 7', '７', ''])('has no number from %j in the query', async (text) => {
    const named = servedPath([operation({ ...create, ids: ['size'] })]);
    const response = await named({ method: 'POST', query: new URLSearchParams({ size: text }).toString() });
    expect(response).toMatchObject({ status: 400, body: { error: 'size must be a number' } });
  });

  it('is ignored where the operation takes none', async () => {
    const sent = { body: 'not JSON', headers: { 'content-type': 'text/plain' } };
    expect(await ask(sent)).toMatchObject({ status: 200, given: { body: {} } });
  });

  const textOfBytes = (bytes: number): string => `{"size":1,"name":"${'é'.repeat((bytes - 20) / 2)}"}`;

  it.each([
    { what: '256 KB', text: textOfBytes(256 * 1024), isBase64Encoded: false, status: 200 },
    { what: 'more than 256 KB', text: textOfBytes(256 * 1024 + 2), isBase64Encoded: false, status: 413 },
    { what: '256 KB in base64', text: textOfBytes(256 * 1024), isBase64Encoded: true, status: 200 },
    { what: 'more than 256 KB in base64', text: textOfBytes(256 * 1024 + 2), isBase64Encoded: true, status: 413 },
  ])('of $what is answered with $status', async ({ text, isBase64Encoded, status }) => {
    const sent = isBase64Encoded ? Buffer.from(text).toString('base64') : text;
    expect((await ask({ method: 'POST', body: sent, isBase64Encoded })).status).toBe(status);
  });

  describe('on the connector', () => {
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };

    it.each<{ what: string; sent: Sent; body: object }>([
      {
        what: 'JSON with numbers as text, and with unknown fields',
        sent: { body: '{"size":"1","more":2}' },
        body: { size: 1 },
      },
      { what: 'a form', sent: { ...form, body: 'size=1&name=Big&more=2' }, body: { size: 1, name: 'Big' } },
      {
        what: 'a form with its character set',
        sent: { headers: { 'content-type': 'Application/x-www-form-urlencoded;charset=utf-8' }, body: 'size=1' },
        body: { size: 1 },
      },
      {
        what: 'a form in base64',
        sent: { ...form, body: btoa('size=1&name=%C3%A9'), isBase64Encoded: true },
        body: { size: 1, name: 'é' },
      },
      { what: 'selectors in the query', sent: { query: 'name=Big' }, body: { size: 1, name: 'Big' } },
      {
        what: 'the same in both',
        sent: { query: 'name=Big', body: '{"size":1,"name":"Big"}' },
        body: { size: 1, name: 'Big' },
      },
    ])('may be $what', async ({ sent, body: expected }) => {
      const response = await connected({ ...withBody, ...onConnector, ...sent });
      expect(response.given?.body, response.text).toEqual(expected);
    });

    it('is refused if it disagrees with the query', async () => {
      const response = await connected({
        ...onConnector,
        method: 'POST',
        query: 'name=A',
        body: '{"size":1,"name":"B"}',
      });
      expect(response).toMatchObject({ status: 400, body: { details: [{ path: 'name' }] } });
      expect(response.body.error).toBe('name has one value in the query and another in the body');
    });

    it.each(['text/plain', 'x-application/x-www-form-urlencoded', 'application/x-www-form-urlencodedx'])(
      'is refused as %s, and told which types it can have',
      async (type) => {
        const response = await connected({ ...withBody, ...onConnector, headers: { 'content-type': type } });
        expect(response).toMatchObject({ status: 415, body: { error: expect.stringContaining('URL-encoded form') } });
      },
    );

    it('may be left out, but not its required fields', async () => {
      const optional = servedPath([operation({ ...create, body: body.partial(), ids: ['name'], connector: true })]);
      const sent = { ...onConnector, method: 'POST', headers: { 'content-type': '' } };
      expect(await optional(sent)).toMatchObject({ status: 200, given: { body: {} } });
      const refused = await connected(sent);
      expect(refused).toMatchObject({ status: 400, body: { error: 'size is required' } });
    });
  });
});
