import * as z from 'zod';
import { errorCatalogue } from '../contract/errors.ts';
import { type Operation, rateClassOf } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';

type Json = Record<string, unknown>;

const componentsPath = '#/components/schemas/';

/** A schema whose named parts are referred to in `components`, and still lie in its own `$defs`. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  // What a request may leave out an answer always has: a schema that is in both has a name for each.
  const nameOf = (id: string): string => (io === 'input' ? `${id}Input` : id);
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === '$ref') return componentsPath + nameOf(String(value).slice('#/$defs/'.length));
    if (key === '$defs') return Object.fromEntries(Object.entries(value).map(([id, named]) => [nameOf(id), named]));
    return value;
  });
};

/** Takes the named schemas out of everything, wherever they lie. */
const takeNamedSchemas = (paths: Json): { paths: Json; schemas: Json } => {
  const schemas: Json = {};
  const without: Json = JSON.parse(JSON.stringify(paths), (key, value) => {
    if (key !== '$defs') return value;
    Object.assign(schemas, value);
    return undefined;
  });
  return { paths: without, schemas };
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
        [operation.html ? 'text/html' : 'application/json']: { schema: success },
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
  const described: Record<string, Json> = {};
  for (const operation of operations) {
    described[operation.path] = { ...described[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  const { paths, schemas } = takeNamedSchemas(described);
  return {
    openapi: '3.1.0',
    info: { title: 'Affiliate program API', version: '1.0.0' },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    components: { schemas, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
};
