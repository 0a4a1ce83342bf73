import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../shared/contract/errors.ts';
import {
  type ErrorBody,
  errorResponseNamed,
  errorResponseOf,
  errorResponses,
  errorSchemas,
  headers,
  headersNamed,
  parameters,
} from '../../../shared/http/openapi/components.ts';
import { errorResponse } from '../../../shared/http/respond.ts';
import { SchemaCheck } from '../../contract/openapi-document.ts';

const schemaCheck = () => {
  const named = Object.fromEntries(
    Object.keys(errorSchemas).map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
  );
  const bodies = Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, { schema }]));
  const document = { servers: [], paths: {}, bodies, components: { schemas: errorSchemas, responses: {} } };
  const check = new SchemaCheck(document);
  return (name: string, value: unknown) => check.problemsOf(value, ['bodies', name]);
};

const detail = { path: 'couponId', message: 'couponId is required', code: 'required' };
const error = new ApiError('bad_request', 'couponId is required', { details: [detail] });
const bodyOf = (method: string) => JSON.parse(errorResponse(error, method).body ?? '');

describe('the schemas of errors', () => {
  it.each([
    { name: 'RequestError', method: 'POST' },
    { name: 'ChangeError', method: 'PUT' },
  ])('$name accepts what $method is refused with, and no less', ({ name, method }) => {
    const problemsOf = schemaCheck();
    const body = bodyOf(method);
    expect(problemsOf(name, body)).toEqual([]);
    const { details: _details, ...bare } = body;
    expect(problemsOf(name, bare)).toEqual([]);
    expect(problemsOf(name, { ...bare, details: detail })).not.toEqual([]);
    for (const field of Object.keys(bare)) {
      const { [field]: _left, ...rest } = bare;
      expect(problemsOf(name, rest), `without ${field}`).not.toEqual([]);
      expect(problemsOf(name, { ...body, [field]: [] }), `${field} as a list`).not.toEqual([]);
    }
    for (const wrong of [{}, { path: 'a' }, { message: 'a' }, { ...detail, path: 1 }, { ...detail, message: 1 }])
      expect(problemsOf(name, { ...body, details: [wrong] }), JSON.stringify(wrong)).not.toEqual([]);
    expect(problemsOf(name, { ...body, details: [{ ...detail, code: 1 }] })).not.toEqual([]);
    expect(problemsOf(name, { ...body, details: [{ path: 'a', message: 'b' }] })).toEqual([]);
  });
});

describe('the headers', () => {
  const text = { type: 'string' };
  const count = { type: 'integer', minimum: 0 };

  it.each([
    { name: 'ETag' as const, schema: text, example: '"3"' },
    { name: 'Link' as const, schema: text, example: expect.stringContaining('rel="next"') },
    { name: 'Next-After' as const, schema: text, example: 'abc.def' },
    { name: 'RateLimit-Limit' as const, schema: count, example: 600 },
    { name: 'RateLimit-Remaining' as const, schema: count, example: 599 },
    { name: 'RateLimit-Reset' as const, schema: count, example: 60 },
    { name: 'Retry-After' as const, schema: count, example: 12 },
    { name: 'Idempotent-Replayed' as const, schema: text, example: 'true' },
    { name: 'x-request-id' as const, schema: text, example: 'Xy1zTgHJDoEENZg=' },
  ])('$name has its type, a description and an example', ({ name, schema, example }) => {
    expect(headers[name]).toEqual({ description: expect.stringMatching(/\.$/), schema, example });
  });

  it('are pointed to by name', () => {
    expect(headersNamed(['ETag', 'Link'])).toEqual({
      ETag: { $ref: '#/components/headers/ETag' },
      Link: { $ref: '#/components/headers/Link' },
    });
  });

  it.each([
    {
      of: parameters.IdempotencyKey,
      name: 'Idempotency-Key',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
    { of: parameters.IfMatch, name: 'If-Match', schema: { type: 'string' } },
    {
      of: parameters.Accept,
      name: 'Accept',
      schema: { type: 'string', enum: ['application/json', 'text/csv'], default: 'application/json' },
    },
  ])('$name of a request is optional', ({ of, name, schema }) => {
    const described = { description: expect.stringMatching(/\.$/), example: expect.stringMatching(/./) };
    expect(of).toEqual({ name, in: 'header', required: false, schema, ...described });
  });
});

describe('an error response', () => {
  const requestId = { $ref: '#/components/headers/x-request-id' };
  const retryAfter = { $ref: '#/components/headers/Retry-After' };
  const ofSchema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it.each<{ status: number; body: ErrorBody; headers: object; example: object }>([
    {
      status: 404,
      body: 'RequestError',
      headers: { 'x-request-id': requestId },
      example: { error: 'Record not found' },
    },
    {
      status: 409,
      body: 'ChangeError',
      headers: { 'x-request-id': requestId },
      example: { error: 409, message: 'The record is in a state that does not allow this' },
    },
    {
      status: 429,
      body: 'RequestError',
      headers: { 'Retry-After': retryAfter, 'x-request-id': requestId },
      example: { error: 'Too many requests. Please slow down.' },
    },
  ])('$status is of the form $body', ({ status, body, headers, example }) => {
    expect(errorResponseOf(status, body)).toEqual({
      description: expect.stringMatching(/\.$/),
      headers,
      content: { 'application/json': { schema: ofSchema(body), example } },
    });
  });

  it('of two forms has both', () => {
    const { content } = errorResponseOf(404, 'ChangeError', true);
    const anyOf = [ofSchema('ChangeError'), ofSchema('RequestError')];
    expect(content).toMatchObject({ 'application/json': { schema: { anyOf } } });
  });

  it('with fields of its path requires them, always with their text', () => {
    const { content } = errorResponseOf(401, 'RequestError', false, { program_name: 'Program not found' });
    const program_name = { const: 'Program not found', description: expect.any(String) };
    const own = { type: 'object', required: ['program_name'], properties: { program_name } };
    expect(content).toEqual({
      'application/json': {
        schema: { allOf: [ofSchema('RequestError'), own] },
        example: { error: 'Unauthorized', program_name: 'Program not found' },
      },
    });
  });

  it('is shared by operations, under its form and status', () => {
    const twice = [400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 500, 503];
    const names = twice.flatMap((status) => [`RequestError${status}`, `ChangeError${status}`]);
    expect(Object.keys(errorResponses).sort()).toEqual(names.sort());
    expect(errorResponseNamed(412, 'ChangeError')).toEqual({ $ref: '#/components/responses/ChangeError412' });
    expect(errorResponses).toMatchObject({
      RequestError400: errorResponseOf(400, 'RequestError'),
      ChangeError400: errorResponseOf(400, 'ChangeError'),
      ChangeError404: errorResponseOf(404, 'ChangeError', true),
      RequestError404: errorResponseOf(404, 'RequestError'),
    });
  });

  it.each([
    { status: 400, message: 'couponId is required' },
    { status: 401, message: 'Unauthorized' },
    { status: 403, message: 'User does not have API access' },
    { status: 404, message: 'Record not found' },
    { status: 500, message: expect.stringMatching(/./) },
  ])('$status shows the message that most requests get', ({ status, message }) => {
    const content = { 'application/json': { example: { error: message } } };
    expect(errorResponseOf(status, 'RequestError')).toMatchObject({
      content,
      description: expect.stringMatching(/\.$/),
    });
  });
});
