import { fieldError } from '../../contract/errors.ts';
import { fromMinor, toMinor } from '../../platform/money/money.ts';

/** A minimum amount in minor units of its currency. 400 where it rounds to 0, as it would then be no minimum. */
export const minimumInMinor = (amount: number, currency: string): number => {
  const amountMinor = toMinor(amount, currency);
  if (amountMinor > 0) return amountMinor;
  const least = fromMinor(1, currency);
  throw fieldError('minimumAmount', `minimumAmount rounds to 0 in ${currency}; send at least ${least}`);
};
