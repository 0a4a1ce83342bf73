import { isPayable, payableAtOf, type StoredSale } from '../sales/rules.ts';
import { saleParts, worthOf } from './parts/parts.ts';

export interface OnHold {
  amountMinor: bigint;
  saleCount: number;
  until: string;
  isComplete: boolean;
}

/** Whether the commission waits for the end of its hold. docs/behavior.md#payout-batches */
export const isOnHold = (sale: StoredSale, now: Date): boolean =>
  isPayable(sale) && payableAtOf(sale) > now.toISOString();

export const sumOnHold = (sales: readonly StoredSale[], isComplete: boolean): OnHold | undefined => {
  const until = sales.map(payableAtOf).toSorted().at(-1);
  if (until === undefined) return undefined;
  return { amountMinor: worthOf(saleParts, sales), saleCount: sales.length, until, isComplete };
};
