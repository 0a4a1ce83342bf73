import Big from 'big.js';

/**
 * Amounts travel as decimals in major units (12.5) and are kept as whole numbers of the currency's minor unit (1250
 * cents, 13 yen, 12500 fils), so that no sum is ever off. Decisions 1.9.
 */
const digitsByCurrency = new Map<string, number>();

/** How many digits a currency's minor unit has: USD 2, JPY 0, KWD 3. */
export const minorDigits = (currency: string): number => {
  const known = digitsByCurrency.get(currency);
  if (known !== undefined) return known;
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  digitsByCurrency.set(currency, digits);
  return digits;
};

/** Major units to minor units, rounded half-up: 12.345 USD is 1235. */
export const toMinor = (amount: number, currency: string): number =>
  new Big(amount)
    .times(new Big(10).pow(minorDigits(currency)))
    .round(0, Big.roundHalfUp)
    .toNumber();

/** Minor units to the decimal of the answer: 1250 USD is 12.5. Sums may exceed what a number keeps. */
export const fromMinor = (amountMinor: number | bigint | string, currency: string): number =>
  new Big(String(amountMinor)).div(new Big(10).pow(minorDigits(currency))).toNumber();

/** Minor units as a bank reads them, with all digits of the currency: 1250 USD is `12.50`. */
export const decimalText = (amountMinor: number | string, currency: string): string => {
  const digits = minorDigits(currency);
  return new Big(amountMinor).div(new Big(10).pow(digits)).toFixed(digits);
};
