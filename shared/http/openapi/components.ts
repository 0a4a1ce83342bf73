import { errorCatalogue } from '../../contract/errors.ts';
import type { Json } from './schemas.ts';

const details: Json = {
  type: 'array',
  description: 'An entry for each field that was wrong.',
  items: { $ref: '#/components/schemas/ErrorDetail' },
};

/** The two forms of error bodies, and their parts. docs/behavior.md#error-bodies */
export const errorSchemas: Json = {
  ErrorDetail: {
    type: 'object',
    description: 'What was wrong with one field.',
    required: ['path', 'message'],
    properties: {
      path: { type: 'string', description: 'The field, dotted, such as `codeStructure.firstName`.' },
      message: { type: 'string', description: 'What is wrong with it.' },
      code: { type: 'string', description: 'A stable reason, where there is one.' },
    },
  },
  RequestError: {
    type: 'object',
    description: 'The error of a read or a creation, and of every failure of authentication.',
    required: ['error'],
    properties: { error: { type: 'string', description: 'What went wrong, and what to do.' }, details },
  },
  ChangeError: {
    type: 'object',
    description: 'The error of an update or a deletion.',
    required: ['error', 'message'],
    properties: {
      error: { type: 'integer', description: 'The status.' },
      message: { type: 'string', description: 'What went wrong, and what to do.' },
      details,
    },
  },
};

const header = (description: string, schema: Json, example: unknown): Json => ({ description, schema, example });
const count: Json = { type: 'integer', minimum: 0 };

export const headers = {
  ETag: header('The version of the record, for `If-Match`.', { type: 'string' }, '"3"'),
  Link: header(
    'The address of the next page, with `rel="next"`. Absent on the last page.',
    { type: 'string' },
    '<https://example.com/api/v1/sales?cursor=abc>; rel="next"',
  ),
  'Next-After': header(
    'On a read with `after`, also where it found nothing: what to send as `after` next.',
    { type: 'string' },
    'abc.def',
  ),
  'RateLimit-Limit': header('How many requests a minute the key may make to this path and method.', count, 600),
  'RateLimit-Remaining': header('How many of them are left.', count, 599),
  'RateLimit-Reset': header('In how many seconds all of them are left again.', count, 60),
  'Retry-After': header('How many seconds to wait.', count, 12),
  'Idempotent-Replayed': header('`true` on the repeated response to an `Idempotency-Key`.', { type: 'string' }, 'true'),
  'x-request-id': header(
    'The id of the request. Give it when you report a problem.',
    { type: 'string' },
    'Xy1zTgHJDoEENZg=',
  ),
} as const satisfies Json;
export type HeaderName = keyof typeof headers;

export const headersNamed = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const parameter = (name: string, description: string, schema: Json, example: unknown): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
  example,
});

export const parameters = {
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Makes the request safe to repeat: the first response is kept for 24 hours and returned again.',
    { type: 'string', minLength: 1, maxLength: 255 },
    '5f0c1c1e-6f0e-4a7e-9d57-3f1f2b8a7c11',
  ),
  IfMatch: parameter(
    'If-Match',
    'One ETag, a list of them, or `*`. The request changes nothing and gets 412 when the record has another version.',
    { type: 'string' },
    '"3"',
  ),
  Accept: parameter(
    'Accept',
    '`text/csv` returns the payouts of the batch as CSV.',
    { type: 'string', enum: ['application/json', 'text/csv'], default: 'application/json' },
    'application/json',
  ),
} as const satisfies Json;
export type ParameterName = keyof typeof parameters;

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is not valid. `details` names the fields.',
  401: 'The Authorization header is missing, or the token is not known.',
  403: 'The plan of the account does not include API access.',
  404: 'The record, or the program of the key, does not exist.',
  409: 'The record is in a state that does not allow this, or a request with this `Idempotency-Key` is still running.',
  410: 'What follows the position in `after` has expired.',
  412: 'The record has changed since the ETag in `If-Match` was read.',
  413: 'The body is larger than 256 KB.',
  415: 'The content type is not one that this operation takes.',
  422: 'The `Idempotency-Key` was used with another body.',
  429: 'Too many requests. Wait as long as `Retry-After` says.',
  500: 'Something went wrong on our side.',
  503: 'The request could not be completed now. Try again in a few seconds.',
};

const messages = new Map<number, string>(
  Object.values(errorCatalogue)
    .toReversed()
    .map(({ status, message }) => [status, message]),
);
messages.set(400, 'couponId is required').set(404, 'Record not found');

export type ErrorBody = 'RequestError' | 'ChangeError';

const errorContentOf = (status: number, body: ErrorBody, errorFields: Json): { schema: Json; example: Json } => {
  const message = messages.get(status) ?? '';
  const schema = { $ref: `#/components/schemas/${body}` };
  if (body === 'ChangeError') return { schema, example: { error: status, message } };
  const example = { error: message, ...errorFields };
  const own = Object.entries(errorFields).map(([name, value]) => [
    name,
    { const: value, description: 'Always this text.' },
  ]);
  if (own.length === 0) return { schema, example };
  const fields = { type: 'object', required: Object.keys(errorFields), properties: Object.fromEntries(own) };
  return { schema: { allOf: [schema, fields] }, example };
};

const errorHeaders = (status: number): HeaderName[] =>
  status === 429 ? ['Retry-After', 'x-request-id'] : ['x-request-id'];

/** An error response. `isEither`: a change returns the form of `RequestError` too, as authentication does. */
export const errorResponseOf = (status: number, body: ErrorBody, isEither = false, errorFields: Json = {}): Json => {
  const { schema, example } = errorContentOf(status, body, errorFields);
  const either = { anyOf: [schema, { $ref: '#/components/schemas/RequestError' }] };
  return {
    description: descriptions[status],
    headers: headersNamed(errorHeaders(status)),
    content: { 'application/json': { schema: isEither ? either : schema, example } },
  };
};

const responseName = (status: number, body: ErrorBody): string => `${body}${status}`;

/** The error responses that operations share. Only a 404 of a change has two forms. */
export const errorResponses: Json = Object.fromEntries(
  Object.keys(descriptions).flatMap((text): [string, Json][] => {
    const status = Number(text);
    return [
      [responseName(status, 'RequestError'), errorResponseOf(status, 'RequestError')],
      [responseName(status, 'ChangeError'), errorResponseOf(status, 'ChangeError', status === 404)],
    ];
  }),
);

export const errorResponseNamed = (status: number, body: ErrorBody): Json => ({
  $ref: `#/components/responses/${responseName(status, body)}`,
});
