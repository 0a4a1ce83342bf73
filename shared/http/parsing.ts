import type * as z from 'zod';
import { ApiError, fieldError } from '../contract/errors.ts';
import { validationError } from './sentences.ts';

/** Decisions 1.7. */
export const mostBodyBytes = 256 * 1024;
const mostLevels = 32;

const refuseText = (value: string, path: string): void => {
  if (value.includes('\0')) throw fieldError(path, `${path} has a NUL character`);
  if (!value.isWellFormed()) throw fieldError(path, `${path} has half of a surrogate pair, which is no character`);
  // What a decoder leaves where bytes were not UTF-8. Storing it would keep the damage for good.
  if (value.includes('\uFFFD')) throw fieldError(path, `${path} has bytes that are not UTF-8`);
};

/** Refuses text that no database keeps unchanged, and nesting that no field has. Names the field. */
export const refuseDamagedText = (value: unknown, path = ''): void => {
  const levels = path.split('.').length;
  if (typeof value === 'string') refuseText(value, path);
  else if (value !== null && typeof value === 'object') {
    if (levels > mostLevels)
      throw new ApiError('bad_request', `The body is nested more than ${mostLevels} levels deep`);
    for (const [key, inner] of Object.entries(value)) {
      const innerPath = path ? `${path}.${key}` : key;
      refuseText(key, path || 'The body');
      refuseDamagedText(inner, innerPath);
    }
  }
};

/** The query of an operation. A parameter that is unknown or given twice is a 400 that names it. */
export const parseQuery = <Schema extends z.ZodObject>(schema: Schema, rawQuery: string): z.output<Schema> => {
  const input: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    if (Object.hasOwn(input, name)) throw fieldError(name, `${name} is given twice`);
    Object.defineProperty(input, name, { value, enumerable: true, configurable: true });
  }
  refuseDamagedText(input);
  const result = schema.safeParse(input);
  if (!result.success) throw validationError(result.error, input, 'query parameter');
  return result.data;
};

/** The body of an operation, from parsed JSON. */
export const parseBody = <Schema extends z.ZodObject>(schema: Schema, input: unknown): z.output<Schema> => {
  if (input === null || typeof input !== 'object' || Array.isArray(input))
    throw new ApiError('bad_request', 'The body must be a JSON object');
  refuseDamagedText(input);
  const result = schema.safeParse(input);
  if (!result.success) throw validationError(result.error, input, 'field');
  return result.data;
};
