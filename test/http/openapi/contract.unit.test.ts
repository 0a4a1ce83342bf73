import { describe, expect, it } from 'vitest';
import { eventCatalogue } from '../../../events/catalogue.ts';
import { connectorOperations, operations } from '../../../shared/contract/operations.ts';
import { responseExampleOf } from '../../../shared/contract/response-examples.ts';
import { connectorDocument, mainDocument } from '../../../shared/http/openapi/documents.built.ts';

const main = JSON.parse(mainDocument);
const connector = JSON.parse(connectorDocument);

/** Every value under a key of that name, anywhere in a document. */
const everyValueOf = (name: string, value: unknown): unknown[] => {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...everyValueOf(name, inner),
  ]);
};

/** The entries of every map or list under a key of that name, with a name for each. */
const namedIn = (document: unknown, key: string): [string, unknown][] =>
  everyValueOf(key, document).flatMap((all) =>
    Object.entries(Object(all)).map(([name, value]): [string, unknown] => [`${key}.${name}`, value]),
  );

describe('the documents of the contract', () => {
  it('describes every field, parameter, header, tag and response', () => {
    for (const document of [main, connector]) {
      const properties = everyValueOf('properties', document).flatMap((fields) => Object.entries(Object(fields)));
      const named = [
        ...properties,
        ...['parameters', 'headers'].flatMap((key) => namedIn(document, key)),
        ...document.tags.entries(),
      ];
      expect(named.length).toBeGreaterThan(100);
      const missing = named.filter(
        ([, value]) => !(value instanceof Object && ('description' in value || '$ref' in value)),
      );
      expect(missing.map(([name]) => name)).toEqual([]);
    }
  });

  it('has an example of every body', () => {
    for (const document of [main, connector])
      for (const content of everyValueOf('content', document))
        for (const media of Object.values(Object(content))) expect(media).toHaveProperty('example');
  });

  it('has one component for each form of error, and every error points to it', () => {
    const { schemas, responses } = main.components;
    expect(
      Object.keys(schemas)
        .filter((name) => name.endsWith('Error'))
        .sort(),
    ).toEqual(['ChangeError', 'Error', 'GatewayError']);
    const errors = everyValueOf('responses', main.paths).flatMap((all) => Object.entries(Object(all)));
    for (const [status, error] of errors)
      if (status !== '200')
        expect(error).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\/\w*Error\d+$/) });
    expect(Object.keys(responses)).toContain('ChangeError412');
  });

  it('describes a list as an array and a read as the record', () => {
    const { paths } = main;
    const schemaOf = (path: string) => paths[path].get.responses['200'].content['application/json'].schema;
    for (const { path, selectors = [] } of operations.filter(({ lists }) => lists)) {
      expect(schemaOf(path)).toEqual({ type: 'array', items: schemaOf(`${path}/{id}`) });
      expect(selectors).toContain('id');
    }
  });

  it('has a webhook for every type of event, with its example', () => {
    expect(Object.keys(main.webhooks)).toEqual(eventCatalogue.map(({ type }) => type));
    for (const { type, example } of eventCatalogue)
      expect(main.webhooks[type].post.requestBody.content['application/json'].example).toEqual(example);
  });

  it('names the headers of requests and responses', () => {
    const { '/sales': sales } = main.paths;
    const references = (value: unknown) => everyValueOf('$ref', value);
    expect(references(sales.post.parameters)).toEqual(['#/components/parameters/IdempotencyKey']);
    expect(references(sales.patch.parameters)).toContain('#/components/parameters/IfMatch');
    expect(Object.keys(sales.get.responses['200'].headers)).toEqual(
      expect.arrayContaining(['Link', 'RateLimit-Limit']),
    );
    expect(Object.keys(sales.patch.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '412',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(Object.keys(main.components.responses.Error429.headers)).toContain('Retry-After');
  });

  it.each([
    { surface: 'the main API', documented: operations, document: main },
    { surface: 'the connector', documented: connectorOperations, document: connector },
  ])('describes every operation of $surface, and no other', ({ documented, document }) => {
    const described = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
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
    for (const document of [main, connector])
      for (const reference of everyValueOf('$ref', document)) {
        const found = String(reference)
          .split('/')
          .slice(1)
          .reduce<unknown>((value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined), document);
        expect(found, String(reference)).toBeDefined();
      }
  });
});

describe.each([...operations, ...connectorOperations])('the description of $id', (operation) => {
  const isConnector = operation.surface === 'connector';
  const described = (isConnector ? connector : main).paths[operation.path][operation.method.toLowerCase()];

  it('has every parameter and every field of the body', () => {
    const parameters = described.parameters.flatMap(({ name }: { name?: string }) => name ?? []);
    const hidden = isConnector ? [] : (operation.selectors ?? []);
    const inPath = Object.keys(operation.parameters?.shape ?? {});
    const inQuery = Object.keys(operation.query.shape).filter((name) => !hidden.includes(name));
    expect(parameters.sort()).toEqual([...inPath, ...inQuery].sort());
    if (!operation.body) return expect(described.requestBody).toBeUndefined();
    const { properties } = described.requestBody.content['application/json'].schema;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(operation.body.shape).sort());
  });

  it('has an example that the operation accepts', () => {
    const { parameters, query, body } = operation.example;
    if (operation.parameters) expect(operation.parameters.safeParse(parameters).success).toBe(true);
    expect(operation.query.safeParse(query ?? {}).success).toBe(true);
    if (operation.body) expect(operation.body.safeParse(body).success).toBe(true);
  });

  it('has an example of its response that the schema accepts as it is', () => {
    const example = responseExampleOf(operation);
    const schema = operation.lists ? operation.response.array() : operation.response;
    expect(schema.parse(example)).toEqual(example);
  });

  it('names the statuses it can respond with, each with its schema', () => {
    const expected = ['200', '400', ...(operation.auth === 'key' ? ['401', '403', '404', '429'] : [])];
    expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(expected));
    const { content } = described.responses['200'];
    const types = [operation.html ? 'text/html' : 'application/json'];
    expect(Object.keys(content)).toEqual(operation.csv && !operation.lists ? [...types, 'text/csv'] : types);
    expect(described.security).toEqual(operation.auth === 'key' ? undefined : []);
    const forms = isConnector ? ['application/json', 'application/x-www-form-urlencoded'] : ['application/json'];
    if (operation.body) expect(Object.keys(described.requestBody.content)).toEqual(forms);
  });
});
