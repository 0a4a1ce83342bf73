import * as z from 'zod';
import { errorCatalogue } from '../contract/errors.ts';
import { type Operation, rateClassOf } from '../contract/operation.ts';

type Json = Record<string, unknown>;

const componentsPath = '#/components/schemas/';

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  // A schema used in both directions has two names, because a response has every field.
  const nameOf = (id: string): string => (io === 'input' ? `${id}Input` : id);
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === '$ref') return componentsPath + nameOf(String(value).slice('#/$defs/'.length));
    if (key === '$defs') return Object.fromEntries(Object.entries(value).map(([id, named]) => [nameOf(id), named]));
    return value;
  });
};

const takeNamedSchemas = (paths: Json): { paths: Json; schemas: Json } => {
  const schemas: Json = {};
  const without: Json = JSON.parse(JSON.stringify(paths), (key, value) => {
    if (key !== '$defs') return value;
    Object.assign(schemas, value);
    return undefined;
  });
  return { paths: without, schemas };
};

const errorSchema = (isChange: boolean, errorFields: Operation['errorFields'] = {}): Json => ({
  type: 'object',
  required: isChange ? ['error', 'message'] : ['error'],
  properties: {
    error: { type: isChange ? 'integer' : 'string' },
    ...(isChange && { message: { type: 'string' } }),
    ...Object.fromEntries(Object.entries(errorFields).map(([name, value]) => [name, { const: value }])),
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

const parametersIn = (place: 'path' | 'query', from: z.ZodType): Json[] => {
  const { properties, required } = schemaOf(from, 'input');
  const names: unknown = required;
  return Object.entries(properties instanceof Object ? properties : {}).map(([name, schema]) => ({
    name,
    in: place,
    required: Array.isArray(names) && names.includes(name),
    schema,
  }));
};

const refusalStatuses: Readonly<Record<Operation['auth'], readonly number[]>> = {
  key: [401, 403, 404, 429],
  code: [403, 404, 429],
  none: [],
};

const responsesOf = (operation: Operation): Json => {
  const response = schemaOf(operation.response, 'output');
  const isConnector = operation.surface === 'connector';
  const array = { type: 'array', items: response };
  const list = isConnector ? array : { oneOf: [response, array] };
  const success = operation.lists ? list : response;
  const isChange = !isConnector && ['PUT', 'PATCH', 'DELETE'].includes(operation.method);
  const authentication = refusalStatuses[operation.auth];
  const codes = operation.errors.map((code) => errorCatalogue[code]);
  const bodyCodes = operation.body
    ? [errorCatalogue.bad_request, errorCatalogue.body_too_large, errorCatalogue.unsupported_media_type]
    : [errorCatalogue.bad_request];
  const statuses = new Map<number, string>(
    [...bodyCodes, ...codes].map(({ status, message }) => [status, message] as const),
  );
  for (const status of authentication) if (!statuses.has(status)) statuses.set(status, 'Authentication or rate limit');
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
        const always = authentication.includes(status) && status !== 404;
        return [
          status,
          {
            description,
            content: { 'application/json': { schema: errorSchema(isChange && !always, operation.errorFields) } },
          },
        ];
      }),
    ),
  };
};

const requestBodyOf = ({ connector, example, surface }: Operation, body: z.ZodType): Json => {
  const schema = schemaOf(body, 'input');
  if (surface !== 'connector')
    return { required: true, content: { 'application/json': { schema, example: example.body } } };
  // The connector ignores unknown fields and takes selectors in the query.
  const { additionalProperties: _unknown, required, ...lenient } = schema;
  const selectors = connector?.selectors ?? [];
  const needed = Array.isArray(required) ? required.filter((name) => !selectors.includes(name)) : [];
  const content = { schema: { ...lenient, required: needed }, example: example.body };
  return {
    required: needed.length > 0,
    content: { 'application/json': content, 'application/x-www-form-urlencoded': content },
  };
};

const describe = (operation: Operation): Json => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description && { description: operation.description }),
  ...(operation.auth !== 'key' && { security: [] }),
  'x-rate-limit-class': rateClassOf(operation),
  parameters: [
    ...(operation.parameters ? parametersIn('path', operation.parameters) : []),
    ...parametersIn('query', operation.query),
  ],
  ...(operation.body && { requestBody: requestBodyOf(operation, operation.body) }),
  responses: responsesOf(operation),
});

export const openApiDocument = (title: string, serverUrl: string, operations: readonly Operation[]): Json => {
  const described: Record<string, Json> = {};
  for (const operation of operations) {
    described[operation.path] = { ...described[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  const { paths, schemas } = takeNamedSchemas(described);
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    components: { schemas, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
};
