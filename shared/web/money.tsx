import { decimalText } from '../platform/money/money.ts';

/** An amount in minor units as people read it: exact, with the digits of its currency. */
export const moneyText = (minor: number | bigint | string, currency: string): string => {
  // As text, since a sum may be more than a number keeps.
  const exact = decimalText(String(minor), currency) as `${number}`;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(exact);
};

/** An amount in a table or a list. */
export const Money = ({ minor, currency }: { minor: number | bigint | string; currency: string }) => (
  <span class="money">{moneyText(minor, currency)}</span>
);
