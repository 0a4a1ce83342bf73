import type * as z from 'zod';
import { thingOf, thingOfQuery } from '../../contract/described-things.ts';
import { errorCatalogue } from '../../contract/errors.ts';
import type { Thing } from '../../contract/field-descriptions.ts';
import { type Operation, rateClassOf } from '../../contract/operation.ts';
import { responseExampleOf } from '../../contract/response-examples.ts';
import {
  type ErrorBody,
  errorResponseNamed,
  errorResponseOf,
  type HeaderName,
  headersNamed,
  type ParameterName,
} from './components.ts';
import { isObject, type Json, schemaOf } from './schemas.ts';

const isConnector = ({ surface }: Operation): boolean => surface === 'connector';

const parametersIn = (
  place: 'path' | 'query',
  from: z.ZodType,
  thing: Thing | undefined,
  given: Readonly<Record<string, string>> = {},
): Json[] => {
  const { properties, required } = schemaOf(from, 'input', { thing });
  const names: unknown = required;
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...schema } = isObject(property) ? property : {};
    return {
      name,
      in: place,
      required: place === 'path' || (Array.isArray(names) && names.includes(name)),
      description,
      schema,
      ...(given[name] !== undefined && { example: schema.type === 'integer' ? Number(given[name]) : given[name] }),
    };
  });
};

const isWrite = ({ auth, method }: Operation): boolean => auth === 'key' && method !== 'GET';

const headerParameters = (operation: Operation): ParameterName[] => [
  ...(isWrite(operation) ? (['IdempotencyKey'] as const) : []),
  ...(operation.errors.includes('precondition_failed') ? (['IfMatch'] as const) : []),
  ...(operation.csv && !operation.lists ? (['Accept'] as const) : []),
];

/** A list is described as one: its selectors are left to its text. The connector returns an array for them too. */
const hiddenIn = (operation: Operation): readonly string[] =>
  isConnector(operation) ? [] : (operation.selectors ?? []);

const withBodyNamed = (parameter: Json): Json => ({
  ...parameter,
  description: `${parameter.description} Here or in the body.`,
});

const parametersOf = (operation: Operation): Json[] => {
  const { parameters, query, ids = [], example } = operation;
  return [
    ...(parameters ? parametersIn('path', parameters, thingOf(operation), example.parameters) : []),
    ...parametersIn('query', query, thingOfQuery(operation), example.query)
      .filter(({ name }) => !hiddenIn(operation).includes(String(name)))
      .map((parameter) => (ids.includes(String(parameter.name)) ? withBodyNamed(parameter) : parameter)),
    ...headerParameters(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
};

const authenticationStatuses: Readonly<Record<Operation['auth'], readonly number[]>> = {
  key: [401, 403, 404, 429],
  code: [403, 404, 429],
  none: [],
};

const errorStatusesOf = (operation: Operation): number[] => [
  400,
  ...authenticationStatuses[operation.auth],
  ...(operation.body ? [413, 415] : []),
  ...(isWrite(operation) ? [409, 422] : []),
  ...operation.errors.map((code) => errorCatalogue[code].status),
  500,
  ...(operation.auth === 'none' ? [] : [503]),
];

/** docs/behavior.md#error-bodies */
const errorBodyOf = (operation: Operation, status: number): ErrorBody => {
  const isChange = !isConnector(operation) && ['PUT', 'PATCH', 'DELETE'].includes(operation.method);
  return isChange && ![401, 403, 429].includes(status) ? 'ChangeError' : 'RequestError';
};

const errorResponsesOf = (operation: Operation): Json =>
  Object.fromEntries(
    errorStatusesOf(operation).map((status) => {
      const body = errorBodyOf(operation, status);
      const hasOwnFields = operation.errorFields && body === 'RequestError';
      return [
        status,
        hasOwnFields ? errorResponseOf(status, body, false, operation.errorFields) : errorResponseNamed(status, body),
      ];
    }),
  );

const successHeadersOf = (operation: Operation): HeaderName[] => {
  const { auth, lists, method, cacheable, query } = operation;
  const isPaged = lists || 'cursor' in query.shape;
  return [
    ...(lists || method === 'DELETE' ? [] : (['ETag'] as const)),
    ...(isPaged ? (['Link'] as const) : []),
    ...('after' in query.shape ? (['Next-After'] as const) : []),
    ...(auth === 'none' || cacheable ? [] : (['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const)),
    ...(isWrite(operation) ? (['Idempotent-Replayed'] as const) : []),
    'x-request-id',
  ];
};

const csvExample =
  '"payoutId","affiliateId","firstName","lastName","email","payoutEmail","paymentMethod","amount","currency","saleCount","status"\r\n';

const successOf = (operation: Operation): Json => {
  const response = schemaOf(operation.response, 'output', { thing: thingOf(operation) });
  const schema = operation.lists ? { type: 'array', items: response } : response;
  const example = responseExampleOf(operation);
  return {
    description: `${operation.summary}: done.`,
    headers: headersNamed(successHeadersOf(operation)),
    content: {
      [operation.html ? 'text/html' : 'application/json']: { schema, example },
      ...(operation.csv && !operation.lists && { 'text/csv': { schema: { type: 'string' }, example: csvExample } }),
    },
  };
};

const requestBodyOf = (operation: Operation, body: z.ZodType): Json => {
  const { additionalProperties, required = [], ...fields } = schemaOf(body, 'input', { thing: thingOf(operation) });
  // An id may come in the query. A creation asks for it in the body, where generated clients have the other fields.
  const elsewhere = operation.method === 'POST' && !isConnector(operation) ? [] : (operation.ids ?? []);
  const needed = [required].flat().filter((name) => !elsewhere.includes(String(name)));
  const schema = { ...fields, ...(needed.length > 0 && { required: needed }) };
  const { body: example } = operation.example;
  if (!isConnector(operation)) {
    const content = { schema: { ...schema, additionalProperties }, example };
    return { required: needed.length > 0, content: { 'application/json': content } };
  }
  // The connector ignores unknown fields.
  const content = { schema, example };
  return {
    required: needed.length > 0,
    content: { 'application/json': content, 'application/x-www-form-urlencoded': content },
  };
};

/** One operation as an OpenAPI operation object. */
export const describeOperation = (operation: Operation): Json => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  description: operation.description ?? `${operation.summary}.`,
  ...(operation.auth !== 'key' && { security: [] }),
  'x-rate-limit-class': rateClassOf(operation),
  parameters: parametersOf(operation),
  ...(operation.body && { requestBody: requestBodyOf(operation, operation.body) }),
  responses: { 200: successOf(operation), ...errorResponsesOf(operation) },
});
