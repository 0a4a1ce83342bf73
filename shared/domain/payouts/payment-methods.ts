import type { StoredAffiliate } from '../affiliates/rules.ts';
import { findBatchWithPayouts } from './responses.ts';
import type { StoredPayoutBatch } from './rules.ts';

type PaymentMethod = NonNullable<StoredAffiliate['paymentMethod']>;

export interface Payee {
  affiliate: StoredAffiliate | undefined;
  amountMinor: bigint;
}

interface PaymentMethodShare {
  method: PaymentMethod | null;
  count: number;
  amountMinor: bigint;
}

export interface PaymentMethods {
  /** The largest number of payees first. */
  shares: readonly PaymentMethodShare[];
  withoutMethod: readonly Payee[];
  /** False if there are more payees than were counted. */
  isComplete: boolean;
}

/** A person waits for the page that shows the counts. */
export const maxPayeesCounted = 2000;

/** By what the affiliates have chosen by now; a deleted one counts as without a method. */
export const byPaymentMethod = (payees: readonly Payee[], isComplete = true): PaymentMethods => {
  const groups = Map.groupBy(payees, ({ affiliate }) => affiliate?.paymentMethod ?? null);
  const shares = [...groups].map(([method, some]) => ({
    method,
    count: some.length,
    amountMinor: some.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
  }));
  return {
    shares: shares.sort((one, other) => other.count - one.count),
    withoutMethod: groups.get(null) ?? [],
    isComplete,
  };
};

/** For a batch with a coupon: its codes pay all affiliates, whatever payment method they have now. */
export const paidByCodes: PaymentMethods = { shares: [], withoutMethod: [], isComplete: true };

/** A batch and how its payees are paid; nobody until all payouts are known. 404. */
export const findBatchWithPaymentMethods = async (
  programId: string,
  batchId: string,
): Promise<{ batch: StoredPayoutBatch; methods: PaymentMethods }> => {
  const { batch, entries, next } = await findBatchWithPayouts(programId, batchId, { limit: maxPayeesCounted });
  if (batch.couponId !== null) return { batch, methods: paidByCodes };
  const payees = entries.map(({ payout: { amountMinor }, affiliate }) => ({ affiliate, amountMinor }));
  return { batch, methods: byPaymentMethod(payees, next === undefined) };
};
