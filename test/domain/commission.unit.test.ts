import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commissionMinor, earnedMinor } from '../../shared/domain/commissions/rules.ts';
import { adjustedMinor } from '../../shared/domain/sales/rules.ts';
import { minorDigits, toMinor } from '../../shared/platform/money/money.ts';
import { makeStoredSale } from '../support/sales.ts';

/** The quotient of whole numbers, neither of them negative, rounded half-up: nothing here is ever a binary fraction. */
const roundedHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD');
/** Up to the largest amount that a sale may have, in the smallest unit that any currency has. */
const totalMinor = fc.integer({ min: 1, max: 1_000_000_000_000 });
/** A rate in percent, as thousands of a percent: 33.333 is 33333. */
const thousandths = fc.integer({ min: 0, max: 100_000 });
const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 6 });

const expectedCommission = (total: number, refunded: number, rateThousandths: number): bigint =>
  roundedHalfUp(BigInt(total - refunded) * BigInt(rateThousandths), 100_000n);

/** What each of several refunds takes back, one after the other, of the commission as it then is. */
const takenBack = (total: number, refunds: readonly number[], rate: number): number[] => {
  let refunded = 0;
  return refunds.map((amount) => {
    const before = commissionMinor(total, refunded, rate);
    refunded += amount;
    return before - commissionMinor(total, refunded, rate);
  });
};

it.each([
  { minor: 1, percent: 50, commission: 1 },
  { minor: 5, percent: 50, commission: 3 },
  { minor: 3, percent: 50, commission: 2 },
])('half a minor unit is rounded up: $percent % of $minor is $commission', ({ minor, percent, commission }) => {
  expect(commissionMinor(minor, 0, percent)).toBe(commission);
  const flat = { type: 'FLAT', rate: null, amountMinor: minor } as const;
  expect(earnedMinor(flat, 2, 1)).toBe(commission);
});

describe('against whole numbers of any size', () => {
  it('an amount is the nearest minor unit, half-up', () => {
    const decimals = fc.tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 0, max: 999_999 }));
    fc.assert(
      fc.property(currency, decimals, (code, [whole, millionths]) => {
        const amount = Number(`${whole}.${String(millionths).padStart(6, '0')}`);
        const inMillionths = BigInt(whole) * 1_000_000n + BigInt(millionths);
        const expected = roundedHalfUp(inMillionths * 10n ** BigInt(minorDigits(code)), 1_000_000n);
        expect(BigInt(toMinor(amount, code))).toBe(expected);
      }),
    );
  });

  it('a commission is exact to the minor unit, of whatever was not refunded', () => {
    const refundedPart = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(totalMinor, refundedPart, thousandths, (total, part, rate) => {
        const refunded = Math.floor(total * part);
        expect(BigInt(commissionMinor(total, refunded, rate / 1000))).toBe(expectedCommission(total, refunded, rate));
      }),
    );
  });

  it('refunds of any parts take back the whole commission, and never more', () => {
    fc.assert(
      fc.property(parts, thousandths, (refunds, rate) => {
        const total = refunds.reduce((sum, part) => sum + part, 0);
        const taken = takenBack(total, refunds, rate / 1000);
        expect(taken.every((amount) => amount >= 0)).toBe(true);
        expect(BigInt(taken.reduce((sum, amount) => sum + amount, 0))).toBe(expectedCommission(total, 0, rate));
      }),
    );
  });

  it('what adjustments take back of a paid sale is what was paid, less what its rest is worth', () => {
    fc.assert(
      fc.property(totalMinor, thousandths, fc.double({ min: 0, max: 1, noNaN: true }), (total, rate, part) => {
        const refundedAmountMinor = Math.floor(total * part);
        const paid = Number(expectedCommission(total, 0, rate));
        const sale = makeStoredSale('affiliate', {
          totalEarnedMinor: total,
          commissionRate: rate / 1000,
          commissionEarnedMinor: paid,
          refundedAmountMinor,
        });
        expect(BigInt(adjustedMinor(sale))).toBe(BigInt(paid) - expectedCommission(total, refundedAmountMinor, rate));
      }),
    );
  });
});

describe('as the worked examples of the guide say', () => {
  it.each([
    [0.1, 'USD', 33.333, 3],
    [1050, 'JPY', 12.5, 131],
    [999.5, 'JPY', 10, 100],
    [1.005, 'KWD', 33.333, 335],
    [100, 'USD', 33.333, 3333],
  ])('%d %s at %d %% earn %i minor units', (amount, code, rate, expected) =>
    expect(commissionMinor(toMinor(amount, code), 0, rate)).toBe(expected),
  );

  it('three sales of 0.10 USD earn 0.09', () => expect(3 * commissionMinor(toMinor(0.1, 'USD'), 0, 33.333)).toBe(9));

  it('a refund of a third, then of the rest, comes to nothing', () =>
    expect(takenBack(10_000, [3333, 6667], 33.333)).toEqual([1111, 2222]));
});
