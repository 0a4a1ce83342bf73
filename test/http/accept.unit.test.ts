import { expect, it } from 'vitest';
import { prefersCsv } from '../../shared/http/accept.ts';

it.each([
  [undefined, false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['Text/CSV; charset=utf-8', true],
  ['text/csv, */*;q=0.1', true],
  ['application/json, text/csv', false],
  ['application/json;q=0.5, text/csv;q=0.9', true],
  ['application/json, text/csv;q=0.9', false],
  ['text/csv;q=0', false],
])('Accept: %s prefers CSV: %s', (accept, expected) => {
  expect(prefersCsv(accept)).toBe(expected);
});
