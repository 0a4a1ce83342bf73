import { decimalText } from '../../platform/money/money.ts';
import { remembered } from '../../platform/text/remembered.ts';
import { currentFormats } from './formats.ts';

const moneyFormat = remembered((key) => {
  const [locale, currency] = key.split(' ');
  return new Intl.NumberFormat(locale, { style: 'currency', currency: currency ?? 'USD' });
});

export const moneyText = (minor: number | bigint | string, currency: string): string => {
  // Text, because a sum may exceed a safe integer.
  const exact = decimalText(String(minor), currency) as `${number}`;
  return moneyFormat(`${currentFormats().locale} ${currency}`).format(exact);
};

export const Money = ({ minor, currency }: { minor: number | bigint | string; currency: string }) => (
  <span class="money">{moneyText(minor, currency)}</span>
);
