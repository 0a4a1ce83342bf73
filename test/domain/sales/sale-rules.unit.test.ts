import { describe, expect, it } from 'vitest';
import {
  isPayable,
  payableAtOf,
  refunded,
  type StoredSale,
  saleResponse,
  statusOf,
} from '../../../shared/domain/sales/rules.ts';
import { importedSaleId, newSaleId, saleIdEdges } from '../../../shared/domain/sales/sale-id.ts';
import { makeStoredSale } from '../../support/sales.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const saleOf = (overrides: Partial<StoredSale>) => makeStoredSale('affiliate', overrides);

describe('a sale', () => {
  it.each<{ sale: Partial<StoredSale>; payable: boolean }>([
    { sale: {}, payable: true },
    { sale: { commissionEarnedMinor: 0 }, payable: true },
    { sale: { affiliateId: null }, payable: false },
    { sale: { payoutBatchId: 'batch' }, payable: false },
    { sale: { affiliateId: null, payoutBatchId: 'batch' }, payable: false },
    { sale: { status: 'PARTIALLY_REFUNDED' }, payable: true },
    { sale: { status: 'REFUNDED', commissionEarnedMinor: 0 }, payable: false },
    { sale: { status: 'REFUNDED', commissionEarnedMinor: 1 }, payable: true },
    { sale: { status: 'REFUNDED', commissionEarnedMinor: 1, affiliateId: null }, payable: false },
    { sale: { status: 'REFUNDED', commissionEarnedMinor: 1, payoutBatchId: 'batch' }, payable: false },
  ])('with $sale may enter a batch: $payable', ({ sale, payable }) => expect(isPayable(saleOf(sale))).toBe(payable));

  it.each([
    [100, 0, 'ACTIVE'],
    [100, 1, 'PARTIALLY_REFUNDED'],
    [100, 99, 'PARTIALLY_REFUNDED'],
    [100, 100, 'REFUNDED'],
  ])('of %i of which %i was refunded is %s', (total, refundedMinor, status) =>
    expect(statusOf(total, refundedMinor)).toBe(status),
  );

  it('is returned with its number, its program and amounts in its currency', () => {
    const sale = saleOf({ totalEarnedMinor: 10_000, commissionEarnedMinor: 750, refundedAmountMinor: 2500 });
    expect(saleResponse(sale, { id: 'program', currency: 'KWD' })).toEqual({
      ...sale,
      id: Number(sale.id),
      affiliateProgramId: 'program',
      totalEarned: 10,
      commissionEarned: 0.75,
      refundedAmount: 2.5,
      payableAt: sale.createdAt,
    });
  });

  it('can be paid from the moment that it keeps, and from its own time if it keeps none', () => {
    expect(payableAtOf(saleOf({ createdAt: '2026-01-01T00:00:00.000Z' }))).toBe('2026-01-01T00:00:00.000Z');
    expect(payableAtOf(saleOf({ payableAt: '2026-01-31T00:00:00.000Z' }))).toBe('2026-01-31T00:00:00.000Z');
  });
});

/** A rule of a group that pays so much of each sale. */
const flatRule = (amountMinor: number) => ({
  source: 'GROUP' as const,
  type: 'FLAT' as const,
  rate: null,
  amountMinor,
  groupId: 'group',
  tier: null,
  overSince: null,
});

describe('a refund', () => {
  it.each<{ before: Partial<StoredSale>; amount: number; after: Partial<StoredSale>; adjustmentMinor: number }>([
    {
      before: {},
      amount: 4000,
      after: { refundedAmountMinor: 4000, commissionEarnedMinor: 600, status: 'PARTIALLY_REFUNDED' },
      adjustmentMinor: 0,
    },
    {
      before: { refundedAmountMinor: 4000, commissionEarnedMinor: 600, status: 'PARTIALLY_REFUNDED' },
      amount: 6000,
      after: { refundedAmountMinor: 10_000, commissionEarnedMinor: 0, status: 'REFUNDED' },
      adjustmentMinor: 0,
    },
    {
      before: { payoutBatchId: 'batch' },
      amount: 4000,
      after: { refundedAmountMinor: 4000, commissionEarnedMinor: 1000, status: 'PARTIALLY_REFUNDED' },
      adjustmentMinor: -400,
    },
    {
      before: { commissionRule: flatRule(1000), commissionRate: 0 },
      amount: 3333,
      after: { refundedAmountMinor: 3333, commissionEarnedMinor: 667, status: 'PARTIALLY_REFUNDED' },
      adjustmentMinor: 0,
    },
    {
      before: { commissionRule: flatRule(1000), commissionRate: 0, payoutBatchId: 'batch' },
      amount: 10_000,
      after: { refundedAmountMinor: 10_000, commissionEarnedMinor: 1000, status: 'REFUNDED' },
      adjustmentMinor: -1000,
    },
  ])('of $amount of a sale with $before adjusts by $adjustmentMinor', ({ before, amount, after, adjustmentMinor }) => {
    const sale = saleOf(before);
    expect(refunded(sale, amount, now)).toEqual({
      sale: { ...sale, ...after, updatedAt: now.toISOString(), refundedAt: now.toISOString() },
      adjustmentMinor,
    });
  });
});

describe('the number of a sale', () => {
  const epoch = Date.UTC(2024, 0, 1);
  const dayMilliseconds = 86_400_000;
  const numbersOf = (time: number) => [Number(saleIdEdges.lowest(time)), Number(saleIdEdges.highest(time))];

  it.each([
    [dayMilliseconds, 353_894_400_000, 353_894_404_095],
    [dayMilliseconds + 1, 353_894_404_096, 353_894_408_191],
    [2 ** 41 - 1, Number.MAX_SAFE_INTEGER - 4095, Number.MAX_SAFE_INTEGER],
    [2 ** 41, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%i ms after 2024 began is between %i and %i', (after, lowest, highest) =>
    expect(numbersOf(epoch + after)).toEqual([lowest, highest]),
  );

  it.each([
    [0, '0000353894404096'],
    [4095, '0000353894408191'],
  ])('has 16 digits, and %i of 4096 by chance', (chance, id) => {
    let bound = 0;
    const made = newSaleId(new Date(epoch + dayMilliseconds + 1), (below) => {
      bound = below;
      return chance;
    });
    expect({ made, bound }).toEqual({ made: id, bound: 4096 });
  });

  it('of an imported sale is in the order of time, to the minute, however old it is', () => {
    const times = [
      '1999-12-31',
      '2000-01-01T00:01Z',
      '2010-06-01',
      '2010-06-01T00:01Z',
      '2023-12-31T23:59Z',
      '2024-01-01',
    ]
      .concat('2024-01-01T23:59Z', '2024-01-02', '2026-03-01T10:00:01Z', '2026-03-01T10:00:02Z')
      .map((time) => new Date(time));
    const edges = times.map((time) => [importedSaleId(time, () => 0), importedSaleId(time, (below) => below - 1)]);
    expect(edges.flat()).toEqual(edges.flat().toSorted());
    for (const [at, [first = '', last = '']] of edges.entries()) {
      const time = times[at]?.getTime() ?? 0;
      expect([saleIdEdges.lowest(time) <= first, last <= saleIdEdges.highest(time + 59_999)]).toEqual([true, true]);
    }
  });

  it.each([
    ['2026-03-01', 60_000],
    ['2026-03-01T10:00:01Z', 1000],
    ['2026-03-01T10:00:01.001Z', 1],
  ])('of a sale imported at %s is one of those of %i ms', (time, milliseconds) => {
    let bound = 0;
    importedSaleId(new Date(time), (below) => {
      bound = below;
      return 0;
    });
    expect(bound).toBe(milliseconds * 4096);
  });
});
