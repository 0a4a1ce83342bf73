import * as z from 'zod';
import { errorCatalogue } from '../contract/errors.ts';
import { type Operation, rateClassOf } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return json;
};

const errorSchema = (isChange: boolean): Json => ({
  type: 'object',
  required: isChange ? ['error', 'message'] : ['error'],
  properties: {
    error: { type: isChange ? 'integer' : 'string' },
    ...(isChange && { message: { type: 'string' } }),
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' }, code: { type: 'string' } },
      },
    },
  },
});

const parametersOf = (operation: Operation): Json[] => {
  const { properties, required } = schemaOf(operation.query, 'input');
  const names: unknown = required;
  return Object.entries(properties instanceof Object ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: Array.isArray(names) && names.includes(name),
    schema,
  }));
};

const responsesOf = (operation: Operation): Json => {
  const answer = schemaOf(operation.answer, 'output');
  const success = operation.lists ? { oneOf: [answer, { type: 'array', items: answer }] } : answer;
  const isChange = ['PUT', 'PATCH', 'DELETE'].includes(operation.method);
  const authentication = [401, 403, 404, 429];
  const codes = operation.errors.map((code) => errorCatalogue[code]);
  const bodyCodes = operation.body
    ? [errorCatalogue.bad_request, errorCatalogue.body_too_large, errorCatalogue.unsupported_media_type]
    : [errorCatalogue.bad_request];
  const statuses = new Map<number, string>(
    [...bodyCodes, ...codes].map(({ status, message }) => [status, message] as const),
  );
  if (operation.auth === 'key')
    for (const status of authentication)
      if (!statuses.has(status)) statuses.set(status, 'Authentication or rate limit');
  return {
    200: {
      description: operation.summary,
      content: {
        'application/json': { schema: success },
        ...(operation.csv && { 'text/csv': { schema: { type: 'string' } } }),
      },
    },
    ...Object.fromEntries(
      [...statuses].map(([status, description]) => {
        const always = operation.auth === 'key' && authentication.includes(status) && status !== 404;
        return [status, { description, content: { 'application/json': { schema: errorSchema(isChange && !always) } } }];
      }),
    ),
  };
};

const describe = (operation: Operation): Json => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description && { description: operation.description }),
  ...(operation.auth === 'none' && { security: [] }),
  'x-rate-limit-class': rateClassOf(operation),
  parameters: parametersOf(operation),
  ...(operation.body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaOf(operation.body, 'input'), example: operation.example.body } },
    },
  }),
  responses: responsesOf(operation),
});

/** The OpenAPI 3.1 document of the whole API, made from the operations. `serverUrl` is the base address. */
export const openApiDocument = (serverUrl: string): Json => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Affiliate program API', version: '1.0.0' },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
};
