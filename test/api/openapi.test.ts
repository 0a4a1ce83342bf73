import { beforeAll, describe, expect, it } from 'vitest';
import { apiBasePath, connectorBasePath } from '../../shared/contract/base-paths.ts';
import { connectorOperations, operations } from '../../shared/contract/operations.ts';
import { connectorUrl } from '../connector/platform.ts';
import { makeProgram, type ResponseBody, request } from '../support/program.ts';

let response: ResponseBody;
let connectorResponse: ResponseBody;

beforeAll(async () => {
  response = await request('GET', '/openapi.json');
  connectorResponse = await request('GET', connectorUrl('/openapi.json'));
});

/** Every value under a key of that name, anywhere in a document. */
const everyValueOf = (name: string, value: unknown): unknown[] => {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...everyValueOf(name, inner),
  ]);
};

describe('GET /openapi.json', () => {
  it('needs no key, and has an ETag', () => {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(response.body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('gives the base path relative to where it was read', () => {
    expect(response.body.servers).toEqual([{ url: apiBasePath }]);
    expect(connectorResponse.body.servers).toEqual([{ url: connectorBasePath('automation') }]);
  });

  it.each([
    { surface: 'the main API', documented: operations, document: () => response.body },
    { surface: 'the connector', documented: connectorOperations, document: () => connectorResponse.body },
  ])('describes every operation of $surface, and no other', ({ documented, document }) => {
    const described = Object.entries<Record<string, { operationId: string }>>(document().paths).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    const contract = documented.map(({ path, method, id }) => ({
      path,
      method: method.toLowerCase(),
      operationId: id,
    }));
    const inOrder = (one: { operationId: string }, other: { operationId: string }) =>
      one.operationId.localeCompare(other.operationId);
    expect(described.sort(inOrder)).toEqual(contract.sort(inOrder));
  });

  it('points to nothing that it does not have', () => {
    for (const document of [response.body, connectorResponse.body])
      for (const reference of everyValueOf('$ref', document)) {
        const found = String(reference)
          .split('/')
          .slice(1)
          .reduce<unknown>((value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined), document);
        expect(found, String(reference)).toBeDefined();
      }
  });

  it('serves everybody the same document', async () => {
    const { apiKey } = await makeProgram();
    const withKey = await request('GET', '/openapi.json', { headers: { authorization: `Bearer ${apiKey}` } });
    const withWrongKey = await request('GET', '/openapi.json', { headers: { authorization: 'Bearer wrong' } });
    expect([withKey.text, withWrongKey.text]).toEqual([response.text, response.text]);
  });
});

describe.each([...operations, ...connectorOperations])('the description of $id', (operation) => {
  const isConnector = operation.surface === 'connector';
  const description = () =>
    (isConnector ? connectorResponse : response).body.paths[operation.path][operation.method.toLowerCase()];

  it('has every parameter and every field of the body', () => {
    const parameters = description().parameters.map(({ name }: { name: string }) => name);
    const inPath = Object.keys(operation.parameters?.shape ?? {});
    expect(parameters.sort()).toEqual([...inPath, ...Object.keys(operation.query.shape)].sort());
    if (!operation.body) return expect(description().requestBody).toBeUndefined();
    const { properties } = description().requestBody.content['application/json'].schema;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(operation.body.shape).sort());
  });

  it('has an example that the operation accepts', () => {
    const { query, body } = operation.example;
    expect(operation.query.safeParse(query ?? {}).success).toBe(true);
    if (operation.body) expect(operation.body.safeParse(body).success).toBe(true);
  });

  it('names the statuses it can respond with, each with its schema', () => {
    const expected = ['200', '400', ...(operation.auth === 'key' ? ['401', '403', '404', '429'] : [])];
    expect(Object.keys(description().responses)).toEqual(expect.arrayContaining(expected));
    for (const response of Object.values<{ description: string; content: object }>(description().responses)) {
      expect(response.description).toMatch(/\w/);
      const isSuccess = response === description().responses['200'];
      const main = isSuccess && operation.html ? 'text/html' : 'application/json';
      const types = [main, ...(isSuccess && operation.csv ? ['text/csv'] : [])];
      expect(Object.keys(response.content)).toEqual(types);
    }
    expect(description().security).toEqual(operation.auth === 'key' ? undefined : []);
    const forms = isConnector ? ['application/json', 'application/x-www-form-urlencoded'] : ['application/json'];
    if (operation.body) expect(Object.keys(description().requestBody.content)).toEqual(forms);
  });
});
