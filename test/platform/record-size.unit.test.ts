import { expect, it } from 'vitest';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { bytesAsJson, refuseLargeRecord } from '../../shared/platform/table/record-size.ts';
import { makeStoredCoupon } from '../support/stored-records.ts';

process.env.RECORDS_TABLE = 'records';

const programId = '019a0000-0000-7000-8000-000000000001';
/** A coupon of just so many bytes as JSON. */
const couponOf = (bytes: number, character: string) => {
  const empty = makeStoredCoupon({ productIds: [''] });
  const left = bytes - Buffer.byteLength(JSON.stringify(empty));
  const each = Buffer.byteLength(JSON.stringify(character)) - 2;
  const text = character.repeat(Math.floor(left / each)) + 'x'.repeat(left % each);
  return { ...empty, productIds: [text] };
};

it.each(['x', '"', '漢', '😀'])(
  'a record of %s is written with 100 KB as JSON, and refused with a byte more',
  (character) => {
    const fits = couponOf(100 * 1024, character);
    expect(coupons.createWrites(programId, fits)).not.toEqual([]);
    expect(coupons.updateWrites(programId, makeStoredCoupon(), fits)).not.toEqual([]);

    const tooLarge = couponOf(100 * 1024 + 1, character);
    const refusal = expect.objectContaining({
      status: 400,
      message: expect.stringMatching(/^The record would have 101 KB as JSON, and 100 KB is the most; make productIds/),
      details: [expect.objectContaining({ path: 'productIds' })],
    });
    expect(() => coupons.createWrites(programId, tooLarge)).toThrow(refusal);
    expect(() => coupons.updateWrites(programId, fits, tooLarge)).toThrow(refusal);
  },
);

it('a record of before the bound still takes counters', () => {
  const tooLarge = couponOf(100 * 1024 + 1, 'x');
  const counted = { ...tooLarge, timesRedeemed: 1 };
  expect(coupons.updateWrites(programId, tooLarge, counted, { isEdit: false })).not.toEqual([]);
});

it('a record is refused with the largest of its fields, and the first of several', () => {
  const text = 'x'.repeat(60 * 1024);
  expect(() => refuseLargeRecord({ id: '1', note: text, name: text })).toThrow(
    'The record would have 121 KB as JSON, and 100 KB is the most; make note smaller, which has 61 KB',
  );
  expect(() => refuseLargeRecord({ name: text, note: `${text}x` })).toThrow('make note smaller');
});

it.each<[unknown, number]>([
  [{ a: 1 }, 7],
  [{ large: 2n ** 60n }, 29],
  ['ë', 4],
  [undefined, 0],
])('%o has %i bytes as JSON', (value, bytes) => expect(bytesAsJson(value)).toBe(bytes));
