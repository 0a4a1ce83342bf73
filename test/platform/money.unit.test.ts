import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MinorSum } from '../../shared/platform/money/minor-sum.ts';
import { fromMinor, minorDigits, toMinor } from '../../shared/platform/money/money.ts';

const currencies = ['USD', 'EUR', 'JPY', 'KWD'];

describe('money', () => {
  it.each([
    ['USD', 2],
    ['EUR', 2],
    ['JPY', 0],
    ['KWD', 3],
  ])('knows the minor unit of %s', (currency, digits) => expect(minorDigits(currency)).toBe(digits));

  it.each([
    [12.5, 'USD', 1250],
    [12.345, 'USD', 1235],
    [1.005, 'USD', 101],
    [0.285, 'USD', 29],
    [12.344_999, 'USD', 1234],
    [0.5, 'JPY', 1],
    [1250.49, 'JPY', 1250],
    [1.2345, 'KWD', 1235],
    [0.001, 'KWD', 1],
    [0.004, 'USD', 0],
    [1_000_000_000, 'KWD', 1_000_000_000_000],
  ])('keeps %d %s as %i, rounded half-up', (amount, currency, minor) => expect(toMinor(amount, currency)).toBe(minor));

  it('adds 0.1 and 0.2 to 0.3', () => expect(fromMinor(toMinor(0.1, 'USD') + toMinor(0.2, 'USD'), 'USD')).toBe(0.3));

  it('gives every amount back as it came', () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), fc.integer({ min: 0, max: 1_000_000_000_000 }), (currency, minor) => {
        expect(toMinor(fromMinor(minor, currency), currency)).toBe(minor);
      }),
    );
  });

  it('is never off by more than half a minor unit', () => {
    const amounts = fc.double({ min: 0.000_001, max: 1_000_000, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...currencies), amounts, (currency, amount) => {
        const halfUnit = 0.5 / 10 ** minorDigits(currency);
        expect(Math.abs(fromMinor(toMinor(amount, currency), currency) - amount)).toBeLessThanOrEqual(halfUnit + 1e-9);
      }),
    );
  });
});

it.each([0, -5, 2 ** 53 - 1, 2n ** 70n])('a sum of minor units may be %s', (sum) =>
  expect(MinorSum.parse(sum)).toBe(sum),
);

it.each(['1', null, undefined, Number.NaN])('a sum of minor units is not %s', (sum) =>
  expect(MinorSum.safeParse(sum).success).toBe(false),
);
