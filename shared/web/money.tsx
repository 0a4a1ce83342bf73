import { decimalText } from '../platform/money/money.ts';

export const moneyText = (minor: number | bigint | string, currency: string): string => {
  // Text, because a sum may exceed a safe integer.
  const exact = decimalText(String(minor), currency) as `${number}`;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(exact);
};

export const Money = ({ minor, currency }: { minor: number | bigint | string; currency: string }) => (
  <span class="money">{moneyText(minor, currency)}</span>
);
