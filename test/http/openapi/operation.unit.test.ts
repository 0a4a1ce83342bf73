import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Operation, operation } from '../../../shared/contract/operation.ts';
import { responseExampleOf } from '../../../shared/contract/response-examples.ts';
import { describeOperation } from '../../../shared/http/openapi/operation.ts';

const read: Operation = {
  id: 'readThing',
  method: 'GET',
  path: '/things',
  auth: 'key',
  tag: 'Affiliates',
  summary: 'Read a thing',
  query: z.strictObject({}),
  response: z.object({ size: z.number() }),
  errors: [],
  needs: [],
  example: {},
};
const list: Operation = { ...read, lists: true };
const body = z.strictObject({ size: z.number(), color: z.string().optional() });
const create: Operation = { ...read, method: 'POST', body };
const update: Operation = { ...create, method: 'PATCH' };
const remove: Operation = { ...read, method: 'DELETE' };
const health: Operation = { ...read, auth: 'none' };
const exchange: Operation = { ...create, surface: 'connector', auth: 'code' };

interface Described {
  parameters: unknown[];
  requestBody: { required: boolean; content: Record<string, { schema: object; example: unknown }> };
  responses: Record<string, { $ref?: string; headers: object; content: Record<string, { schema: object }> }>;
}
const describeAll = (operation: Operation) => describeOperation(operation) as unknown as Described;
const responsesOf = (operation: Operation) => describeAll(operation).responses;
const successOf = (operation: Operation) => responsesOf(operation)[200];
const headersOf = (operation: Operation): string[] => Object.keys(successOf(operation)?.headers ?? {});
const errorsOf = (operation: Operation): string =>
  Object.keys(responsesOf(operation))
    .filter((status) => status !== '200')
    .join(' ');
const schemaOfSize = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] };

describe('the description of an operation', () => {
  it('names it, its group and its rate limit', () => {
    expect(describeOperation(read)).toMatchObject({
      operationId: 'readThing',
      tags: ['Affiliates'],
      summary: 'Read a thing',
      description: 'Read a thing.',
      'x-rate-limit-class': 'read',
      parameters: [],
    });
    expect(describeOperation({ ...remove, description: 'Its own.' })).toMatchObject({
      description: 'Its own.',
      'x-rate-limit-class': 'write',
    });
  });

  it.each([
    { auth: 'key' as const, security: undefined },
    { auth: 'code' as const, security: [] },
    { auth: 'none' as const, security: [] },
  ])('with $auth says whether it needs a key', ({ auth, security }) => {
    expect(describeOperation({ ...read, auth }).security).toEqual(security);
  });
});

describe('the parameters', () => {
  const ofPath: Operation = {
    ...read,
    parameters: z.strictObject({ id: z.uuid() }),
    query: z.strictObject({
      size: z.string().optional().describe('The size.'),
      limit: z.coerce.number<number>().int().default(50),
      color: z.string(),
    }),
    example: { parameters: { id: '019a' }, query: { limit: '10', color: '7' } },
  };

  it('are those of the path and the query, with their examples as they would be typed', () => {
    expect(describeAll(ofPath).parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        example: '019a',
        description: expect.any(String),
        schema: { type: 'string', format: 'uuid' },
      },
      { name: 'size', in: 'query', required: false, description: 'The size.', schema: { type: 'string' } },
      {
        name: 'limit',
        in: 'query',
        required: false,
        example: 10,
        schema: { type: 'integer', default: 50 },
      },
      { name: 'color', in: 'query', required: true, example: '7', schema: { type: 'string' } },
    ]);
  });

  it('of a path are required even where their schema allows none', () => {
    const parameters = z.strictObject({ id: z.string().optional() });
    expect(describeAll({ ...read, parameters }).parameters).toMatchObject([{ name: 'id', required: true }]);
  });

  it('of a list leave out selectors, but not on the connector', () => {
    const operation: Operation = {
      ...list,
      selectors: ['id'],
      query: z.strictObject({ id: z.string().optional(), status: z.string().optional() }),
    };
    expect(describeAll(operation).parameters).toMatchObject([{ name: 'status' }]);
    expect(describeAll({ ...operation, surface: 'connector' }).parameters).toMatchObject([
      { name: 'id' },
      { name: 'status' },
    ]);
  });

  it.each<{ what: string; operation: Operation; names: string[] }>([
    { what: 'a read', operation: read, names: [] },
    { what: 'a creation', operation: create, names: ['IdempotencyKey'] },
    { what: 'a deletion', operation: remove, names: ['IdempotencyKey'] },
    { what: 'a write without a key', operation: exchange, names: [] },
    {
      what: 'a change of a version',
      operation: { ...update, errors: ['precondition_failed'] },
      names: ['IdempotencyKey', 'IfMatch'],
    },
    { what: 'a read as CSV', operation: { ...read, csv: true }, names: ['Accept'] },
    { what: 'a list, of which one record can be read as CSV', operation: { ...list, csv: true }, names: [] },
  ])('of $what have the headers $names', ({ operation, names }) => {
    const $refs = names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
    expect(describeAll(operation).parameters).toEqual($refs);
  });
});

describe('the body of a request', () => {
  const example = { size: 1 };
  const strict = {
    type: 'object',
    properties: { size: { type: 'number' }, color: { type: 'string' } },
    required: ['size'],
    additionalProperties: false,
  };

  it('is required JSON without other fields', () => {
    expect(describeAll({ ...create, example: { body: example } }).requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: strict, example } },
    });
    expect(describeAll(read).requestBody).toBeUndefined();
  });

  const onConnector: Operation = { ...create, surface: 'connector', example: { body: example } };
  const { additionalProperties: _additional, ...lenient } = strict;
  const { required: _required, ...optional } = lenient;

  it.each([
    { what: 'no field can be in the query', ids: undefined, schema: lenient, required: true },
    { what: 'another field can be in the query', ids: ['color'], schema: lenient, required: true },
    { what: 'the field can be in the query', ids: ['size'], schema: optional, required: false },
  ])('is JSON or a form on the connector, where $what', ({ ids, schema, required }) => {
    expect(describeAll({ ...onConnector, ...(ids && { ids }) }).requestBody).toEqual({
      required,
      content: {
        'application/json': { schema, example },
        'application/x-www-form-urlencoded': { schema, example },
      },
    });
  });

  it('of a change may be without an id, which can be in the query; a creation has its ids in the body', () => {
    const change = operation({ ...update, ids: ['size'], example: { body: example } });
    const { required: _needed, ...withoutId } = strict;
    expect(describeAll(change).requestBody).toEqual({
      required: false,
      content: { 'application/json': { schema: withoutId, example } },
    });
    expect(describeAll(change).parameters).toContainEqual({
      name: 'size',
      in: 'query',
      required: false,
      schema: { type: 'number' },
      description: expect.stringContaining('Here or in the body.'),
    });
    const made = operation({ ...create, ids: ['size'], example: { body: example } });
    expect(describeAll(made).requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: strict } },
    });
    expect(describeAll(made).parameters).toContainEqual(expect.objectContaining({ name: 'size', in: 'query' }));
  });

  it('is optional on the connector if no field is required', () => {
    const requestBody = { required: false };
    expect(describeAll({ ...onConnector, body: body.partial() })).toMatchObject({ requestBody });
  });
});

describe('the success', () => {
  it('is the record as JSON, or an array of records', () => {
    const schema = { ...schemaOfSize, additionalProperties: false, properties: { size: expect.anything() } };
    expect(successOf(read)).toMatchObject({
      description: 'Read a thing: done.',
      content: { 'application/json': { schema } },
    });
    expect(successOf(list)?.content).toMatchObject({
      'application/json': { schema: { type: 'array', items: schema } },
    });
  });

  it('has the example of the contract', () => {
    const example = responseExampleOf({ ...read, id: 'readProgram' });
    expect(example).toMatchObject({ currency: 'USD' });
    const content = { 'application/json': { example } };
    expect(successOf({ ...read, id: 'readProgram' })).toMatchObject({ content });
  });

  it.each<{ what: string; operation: Operation; types: string[] }>([
    { what: 'a page', operation: { ...health, html: true }, types: ['text/html'] },
    { what: 'a read as CSV', operation: { ...read, csv: true }, types: ['application/json', 'text/csv'] },
    { what: 'a list', operation: { ...list, csv: true }, types: ['application/json'] },
  ])('of $what has the types $types', ({ operation, types }) => {
    expect(Object.keys(successOf(operation)?.content ?? {})).toEqual(types);
  });

  it('shows CSV by its line of columns', () => {
    expect(successOf({ ...read, csv: true })?.content['text/csv']).toEqual({
      schema: { type: 'string' },
      example: expect.stringMatching(/^"payoutId",("\w+",)+"status"\r\n$/),
    });
  });

  const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  const paged = z.strictObject({ cursor: z.string().optional() });

  it.each<{ what: string; operation: Operation; names: string[] }>([
    { what: 'a read', operation: read, names: ['ETag', ...limits] },
    { what: 'a list', operation: list, names: ['Link', ...limits] },
    { what: 'a record in pages', operation: { ...read, query: paged }, names: ['ETag', 'Link', ...limits] },
    {
      what: 'a feed',
      operation: { ...list, query: z.strictObject({ after: z.string().optional() }) },
      names: ['Link', 'Next-After', ...limits],
    },
    { what: 'a change', operation: update, names: ['ETag', ...limits, 'Idempotent-Replayed'] },
    { what: 'a deletion', operation: remove, names: [...limits, 'Idempotent-Replayed'] },
    { what: 'a read without a key', operation: health, names: ['ETag'] },
    { what: 'a document that caches keep', operation: { ...read, cacheable: true }, names: ['ETag'] },
    { what: 'an exchange of a code', operation: exchange, names: ['ETag', ...limits] },
  ])('of $what has the headers $names', ({ operation, names }) => {
    expect(headersOf(operation)).toEqual([...names, 'x-request-id']);
  });
});

describe('the errors', () => {
  it.each<{ what: string; operation: Operation; errors: string }>([
    { what: 'a read', operation: read, errors: '400 401 403 404 429 500 503' },
    { what: 'a deletion', operation: remove, errors: '400 401 403 404 409 422 429 500 503' },
    { what: 'a creation', operation: create, errors: '400 401 403 404 409 413 415 422 429 500 503' },
    { what: 'an exchange of a code', operation: exchange, errors: '400 403 404 413 415 429 500 503' },
    { what: 'a read without a key', operation: health, errors: '400 500' },
    {
      what: 'an operation with errors of its own',
      operation: { ...read, errors: ['precondition_failed', 'feed_expired', 'not_found'] },
      errors: '400 401 403 404 410 412 429 500 503',
    },
  ])('of $what are $errors, each once', ({ operation, errors }) => {
    expect(errorsOf(operation)).toBe(errors);
  });

  const formOf = (operation: Operation, status: number) =>
    responsesOf(operation)[status]?.$ref?.replace('#/components/responses/', '');

  it.each<{ method: Operation['method']; form: string }>([
    { method: 'GET', form: 'RequestError404' },
    { method: 'POST', form: 'RequestError404' },
    { method: 'PUT', form: 'ChangeError404' },
    { method: 'PATCH', form: 'ChangeError404' },
    { method: 'DELETE', form: 'ChangeError404' },
  ])('of $method have the form of $form', ({ method, form }) => {
    expect(formOf({ ...read, method }, 404)).toBe(form);
    expect(formOf({ ...read, method, surface: 'connector' }, 404)).toBe('RequestError404');
    for (const status of [401, 403, 429]) expect(formOf({ ...read, method }, status)).toBe(`RequestError${status}`);
  });

  it('have the fields of their path, except in the form of changes', () => {
    const errorFields = { program_name: 'Program not found' };
    const example = { error: 'Unauthorized', program_name: 'Program not found' };
    const content = { 'application/json': { example } };
    expect(responsesOf({ ...read, errorFields })[401]).toMatchObject({ content });
    expect(formOf({ ...remove, errorFields }, 404)).toBe('ChangeError404');
  });
});
