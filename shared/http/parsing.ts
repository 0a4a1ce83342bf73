import type * as z from 'zod';
import { ApiError, fieldError } from '../contract/errors.ts';
import { shortName, validationError } from '../contract/validation-error.ts';
import { lenientFields } from './lenient-input.ts';

const maxLevels = 32;

const refuseText = (value: string, path: string): void => {
  if (value.includes('\0')) throw fieldError(path, `${path} has a NUL character`);
  if (!value.isWellFormed()) throw fieldError(path, `${path} contains an unpaired surrogate`);
  // U+FFFD marks bytes that were not UTF-8; storing it would keep the damage.
  if (value.includes('\uFFFD')) throw fieldError(path, `${path} has bytes that are not UTF-8`);
};

/** Text that a database would change, and nesting that no field has. docs/behavior.md#malformed-requests */
const refuseDamagedText = (value: unknown, path = ''): void => {
  const levels = path.split('.').length;
  if (typeof value === 'string') refuseText(value, path);
  else if (value !== null && typeof value === 'object') {
    if (levels > maxLevels) throw new ApiError('bad_request', `The body is nested more than ${maxLevels} levels deep`);
    for (const [key, inner] of Object.entries(value)) {
      const name = shortName(key);
      const innerPath = path ? `${path}.${name}` : name;
      refuseText(key, path || 'The body');
      refuseDamagedText(inner, innerPath);
    }
  }
};

/** See docs/behavior.md#strict-input */
type Manner = 'strict' | 'lenient';

/** 400 for an unknown (unless lenient) or repeated parameter. */
export const parseQuery = <Schema extends z.ZodObject>(
  schema: Schema,
  rawQuery: string,
  manner: Manner = 'strict',
): z.output<Schema> => {
  const sent: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    if (manner === 'lenient' && !Object.hasOwn(schema.shape, name)) continue;
    if (Object.hasOwn(sent, name)) throw fieldError(shortName(name), `${shortName(name)} is given twice`);
    Object.defineProperty(sent, name, { value, enumerable: true, configurable: true });
  }
  const input = manner === 'lenient' ? lenientFields(schema.shape, sent) : sent;
  refuseDamagedText(input);
  const result = schema.safeParse(input);
  if (!result.success) throw validationError(result.error, input, 'query parameter');
  return result.data;
};

const objectOf = (body: unknown): Record<string, unknown> => {
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new ApiError('bad_request', 'The body must be a JSON object');
  return { ...body };
};

/** `named` came in the query: 400 if the body disagrees. docs/behavior.md#where-ids-go */
export const parseBody = <Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
  { manner = 'strict', named = {} }: { manner?: Manner; named?: Readonly<Record<string, unknown>> } = {},
): z.output<Schema> => {
  const sent = objectOf(body);
  const parsed = parseFields(schema, {
    ...named,
    ...(manner === 'lenient' ? lenientFields(schema.shape, sent) : sent),
  });
  const fields: Record<string, unknown> = parsed;
  for (const [name, value] of Object.entries(named))
    if (fields[name] !== value) throw fieldError(name, `${name} has one value in the query and another in the body`);
  return parsed;
};

export const parseFields = <Schema extends z.ZodObject>(
  schema: Schema,
  input: Record<string, unknown>,
): z.output<Schema> => {
  refuseDamagedText(input);
  const result = schema.safeParse(input);
  if (!result.success) throw validationError(result.error, input, 'field');
  return result.data;
};
