import { describe, expect, it } from 'vitest';
import { maxMinorUnits } from '../../shared/contract/fields.ts';
import { boundedMinor, decimalText, fromMinor, minorDigits, positiveMinor } from '../../shared/platform/money/money.ts';

describe('an amount of an input', () => {
  it.each([
    ['USD', fromMinor(maxMinorUnits, 'USD'), maxMinorUnits],
    ['JPY', maxMinorUnits, maxMinorUnits],
    ['USD', 0, 0],
  ])('%s %d is kept as %i', (currency, amount, minor) => expect(boundedMinor('price', amount, currency)).toBe(minor));

  it.each([
    ['USD', 10_000_000_000_000],
    ['KWD', 1_000_000_000_000],
    ['JPY', maxMinorUnits + 1],
  ])('%s %d is refused with the largest amount', (currency, amount) =>
    expect(() => boundedMinor('price', amount, currency)).toThrow(
      `price must be at most ${fromMinor(maxMinorUnits, currency)} in ${currency}`,
    ),
  );

  it.each([
    ['USD', 0.005, 1],
    ['JPY', 0.5, 1],
    ['KWD', 0.0005, 1],
  ])('that must not be 0 may be %s %d', (currency, amount, minor) =>
    expect(positiveMinor('price', amount, currency)).toBe(minor),
  );

  it.each([
    ['USD', 0.0049, '0.01'],
    ['JPY', 0.49, '1'],
    ['KWD', 0.000_49, '0.001'],
  ])('that must not be 0 is refused where it rounds to it: %s %d', (currency, amount, least) =>
    expect(() => positiveMinor('price', amount, currency)).toThrow(
      `price rounds to 0 in ${currency}; send at least ${least}`,
    ),
  );
});

describe('an amount as text', () => {
  it.each([
    [1250, 'USD', '12.50'],
    ['1250', 'USD', '12.50'],
    [1250, 'JPY', '1250'],
    [1250, 'KWD', '1.250'],
    [-5, 'USD', '-0.05'],
    ['123456789012345678901', 'USD', '1234567890123456789.01'],
  ])('%s of %s is %s', (minor, currency, text) => expect(decimalText(minor, currency)).toBe(text));
});

it('a currency has the digits of its minor unit, also when it is asked for again', () => {
  const digits = ['BHD', 'KRW', 'CHF', 'BHD', 'KRW', 'CHF'].map(minorDigits);
  expect(digits).toEqual([3, 0, 2, 3, 0, 2]);
});
