import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../../shared/http/cursor.ts';

const scope: CursorScope = { programId: 'p1', operationId: 'listCoupons', filters: { name: 'Spring', valid: true } };
const position = '019a0000-0000-7000-8000-000000000001';
let cursor: string;
beforeAll(() => {
  vi.stubEnv('CURSOR_KEY', 'the key of this deployment');
  cursor = encodeCursor(scope, position);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

describe('a cursor', () => {
  it('gives its position back, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (anyPosition) => {
        expect(decodeCursor(scope, encodeCursor(scope, anyPosition))).toBe(anyPosition);
      }),
    );
  });

  it('does not mind the order of filters, or filters that are not given', () =>
    expect(decodeCursor({ ...scope, filters: { valid: true, couponType: undefined, name: 'Spring' } }, cursor)).toBe(
      position,
    ));

  it.each<[string, Partial<CursorScope>]>([
    ['another program', { programId: 'p2' }],
    ['another operation', { operationId: 'listAffiliates' }],
    ['another value of a filter', { filters: { name: 'Spring', valid: false } }],
    ['a filter more', { filters: { ...scope.filters, couponType: 'FLAT' } }],
    ['a filter less', { filters: { name: 'Spring' } }],
  ])('is refused with %s', (_, other) =>
    expect(() => decodeCursor({ ...scope, ...other }, cursor)).toThrow('cursor is not valid'),
  );

  it('is not made without a key', () => {
    vi.stubEnv('CURSOR_KEY', '');
    expect(() => encodeCursor(scope, position)).toThrow('CURSOR_KEY is not set');
    vi.stubEnv('CURSOR_KEY', 'the key of this deployment');
  });

  it('is refused when it was made with another key, or by hand as before there was one', () => {
    vi.stubEnv('CURSOR_KEY', 'the key of another deployment');
    const foreign = encodeCursor(scope, position);
    vi.stubEnv('CURSOR_KEY', 'the key of this deployment');
    expect(foreign).not.toBe(cursor);
    const [encoded] = cursor.split('.');
    const unkeyed = createHash('sha256')
      .update(JSON.stringify([scope.programId, scope.operationId, Object.entries(scope.filters), position]))
      .digest('base64url');
    for (const forged of [
      foreign,
      `${encoded}.${unkeyed}`,
      `${encoded}.${unkeyed.slice(0, 22)}`,
      `${encoded}.`,
      encoded,
    ])
      expect(() => decodeCursor(scope, forged ?? '')).toThrow('cursor is not valid');
  });

  it('is refused when a single character was altered, added or taken away', () => {
    const places = fc.integer({ min: 0, max: cursor.length - 1 });
    const characters = fc.constantFrom(...'abcXYZ019-_.=%~ ');
    fc.assert(
      fc.property(places, characters, fc.constantFrom(0, 1), (place, character, removed) => {
        const altered = cursor.slice(0, place) + character + cursor.slice(place + removed);
        fc.pre(altered !== cursor);
        expect(() => decodeCursor(scope, altered)).toThrow(ApiError);
      }),
    );
    expect(() => decodeCursor(scope, cursor.slice(0, -1))).toThrow(ApiError);
    expect(() => decodeCursor(scope, '')).toThrow(ApiError);
  });
});
