import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiError } from '../../shared/contract/errors.ts';
import { parseBody, parseFields } from '../../shared/http/parsing.ts';

const schema = z.strictObject({ name: z.unknown(), other: z.unknown().optional() });
const refusalOf = (
  value: unknown,
  parse: (body: unknown) => unknown,
): Pick<ApiError, 'status' | 'message' | 'details'> => {
  try {
    parse({ name: value });
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message, details: error.details };
    throw error;
  }
  throw new Error('Nothing was refused');
};

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe.each<{ what: string; parse: (body: unknown) => unknown }>([
  { what: 'a body', parse: (body) => parseBody(schema, body) },
  { what: 'fields', parse: (body) => parseFields(schema, Object(body)) },
  { what: 'a lenient body', parse: (body) => parseBody(schema, body, { manner: 'lenient' }) },
])('$what', ({ parse }) => {
  it.each<{ value: unknown; path: string; message: string }>([
    { value: 'a\0', path: 'name', message: 'name has a NUL character' },
    { value: '\uD800', path: 'name', message: 'name contains an unpaired surrogate' },
    { value: 'a\uFFFD', path: 'name', message: 'name has bytes that are not UTF-8' },
    { value: ['a', '\0'], path: 'name.1', message: 'name.1 has a NUL character' },
    { value: { a: { b: '\0' } }, path: 'name.a.b', message: 'name.a.b has a NUL character' },
    { value: { 'a\0': 1 }, path: 'name', message: 'name has a NUL character' },
  ])('with $value is refused, and the field is named', ({ value, path, message }) => {
    expect(refusalOf(value, parse)).toEqual({ status: 400, message, details: [{ path, message }] });
  });

  it.each(['a', 'é😀', null, 7, true, [], { a: null }])('with %j is taken as it is', (value) => {
    expect(parse({ name: value })).toEqual({ name: value });
  });

  it('of 32 levels below the body is taken, of more refused', () => {
    expect(parse({ name: nested(32) })).toMatchObject({ name: { a: {} } });
    const { status, message } = refusalOf(nested(33), parse);
    expect({ status, message }).toEqual({ status: 400, message: 'The body is nested more than 32 levels deep' });
  });
});

it('a damaged name of a field is a damage of the body', () => {
  expect(() => parseBody(schema, { 'a\0': 1 })).toThrow('The body has a NUL character');
});
