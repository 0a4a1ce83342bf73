import { describe, expect, it } from 'vitest';
import { isTooSmall, payoutBatchResponse, type StoredPayoutBatch } from '../../../shared/domain/payouts/rules.ts';

const batchOf = (overrides: Partial<StoredPayoutBatch> = {}): StoredPayoutBatch => ({
  id: '019a0000-0000-7000-8000-0000000000b1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
  name: null,
  status: 'READY',
  step: 'DONE',
  periodStart: null,
  periodEnd: '2026-01-01T00:00:00.000Z',
  affiliateIds: null,
  paymentMethod: null,
  couponId: null,
  minimumAmountMinor: null,
  currency: 'USD',
  payoutCount: 0,
  saleCount: 0,
  totalAmountMinor: '0',
  paidAt: null,
  source: 'API',
  ...overrides,
});

describe('a payout', () => {
  it.each([
    [null, 1n, false],
    [null, 0n, true],
    [null, -1n, true],
    [5000, 4999n, true],
    [5000, 5000n, false],
    [0, 0n, true],
    [0, 1n, false],
  ])('at a minimum of %s, of %s, is too small: %s', (minimumAmountMinor, amount, tooSmall) =>
    expect(isTooSmall(amount, batchOf({ minimumAmountMinor }))).toBe(tooSmall),
  );
});

it.each([
  ['USD', '12345', 123.45],
  ['JPY', '12345', 12345],
])('a batch returns its sum in its own currency: %s', (currency, totalAmountMinor, totalAmount) => {
  const batch = batchOf({ currency, totalAmountMinor });
  expect(payoutBatchResponse(batch)).toEqual({ ...batch, totalAmount });
});
