import { expect, it } from 'vitest';
import { byPaymentMethod } from '../../shared/domain/payouts/payment-methods.ts';
import { leftOutOfFiles, rowsOf } from '../../shared/web/pages/payout-files.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';

const payee = (paymentMethod: 'PAYPAL' | 'WISE' | 'BANK' | null, amountMinor: bigint) => ({
  affiliate: { ...makeStoredAffiliate(), paymentMethod },
  amountMinor,
});

it('counts people and adds up amounts by payment method, exactly, the largest group first', () => {
  const huge = 2n ** 53n + 1n;
  const deleted = { affiliate: undefined, amountMinor: 5n };
  const methods = byPaymentMethod([payee('WISE', huge), payee('WISE', 1n), payee('PAYPAL', 3n), deleted]);
  expect(methods.shares).toEqual([
    { method: 'WISE', count: 2, amountMinor: huge + 1n },
    { method: 'PAYPAL', count: 1, amountMinor: 3n },
    { method: null, count: 1, amountMinor: 5n },
  ]);
  expect(methods.withoutMethod).toEqual([deleted]);
});

it('leaves out of the files who is paid by none of their methods', () => {
  const methods = byPaymentMethod([payee('WISE', 1n), payee('BANK', 20n), payee(null, 300n)]);
  expect([rowsOf('wise', methods), rowsOf('paypal', methods)]).toEqual([1, 0]);
  expect(leftOutOfFiles(methods)).toEqual({ count: 2, amountMinor: 320n });
  expect(leftOutOfFiles(byPaymentMethod([payee('PAYPAL', 1n)]))).toEqual({ count: 0, amountMinor: 0n });
});
