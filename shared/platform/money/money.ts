import Big from 'big.js';
import { fieldError } from '../../contract/errors.ts';
import { maxMinorUnits } from '../../contract/fields.ts';

/** Stored as integers of the minor unit, so that sums are exact. docs/behavior.md#amounts */
const digitsByCurrency = new Map<string, number>();

export const minorDigits = (currency: string): number => {
  const known = digitsByCurrency.get(currency);
  if (known !== undefined) return known;
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  digitsByCurrency.set(currency, digits);
  return digits;
};

/** Half-up: 12.345 USD is 1235. */
export const toMinor = (amount: number, currency: string): number =>
  new Big(amount)
    .times(new Big(10).pow(minorDigits(currency)))
    .round(0, Big.roundHalfUp)
    .toNumber();

/** As `toMinor`; 400 that names the field where the amount is too large. docs/behavior.md#amounts */
export const boundedMinor = (field: string, amount: number, currency: string): number => {
  const amountMinor = toMinor(amount, currency);
  if (amountMinor <= maxMinorUnits) return amountMinor;
  throw fieldError(field, `${field} must be at most ${fromMinor(maxMinorUnits, currency)} in ${currency}`);
};

/** As `boundedMinor`; 400 where the amount rounds to 0 too. */
export const positiveMinor = (field: string, amount: number, currency: string): number => {
  const amountMinor = boundedMinor(field, amount, currency);
  if (amountMinor > 0) return amountMinor;
  throw fieldError(field, `${field} rounds to 0 in ${currency}; send at least ${fromMinor(1, currency)}`);
};

/** 1250 USD is 12.5. Sums may exceed a safe integer. */
export const fromMinor = (amountMinor: number | bigint | string, currency: string): number =>
  new Big(String(amountMinor)).div(new Big(10).pow(minorDigits(currency))).toNumber();

export const decimalText = (amountMinor: number | string, currency: string): string => {
  const digits = minorDigits(currency);
  return new Big(amountMinor).div(new Big(10).pow(digits)).toFixed(digits);
};
