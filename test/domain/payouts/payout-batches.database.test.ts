import { describe, expect, it } from 'vitest';
import { payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { at, newProgram, outcomeOf, storeAdjustment, storeAffiliate, storeSale } from '../../support/domain.ts';
import { createBatch, prepareBatch } from '../../support/payout-batches.ts';
import { withSales } from './with-sales.ts';

describe('the period of a batch', () => {
  it.each([
    { sale: -1, isIn: true },
    { sale: 0, isIn: false },
    { sale: 1, isIn: false },
  ])('ends now: a sale $sale ms away', async ({ sale, isIn }) => {
    const { program } = await withSales({ createdAt: at(sale) });
    expect((await prepareBatch(program)).saleCount).toBe(isIn ? 1 : 0);
  });

  const start = -10_000;
  const end = -5000;
  it.each([
    { sale: start - 1, isIn: false },
    { sale: start, isIn: true },
    { sale: end - 1, isIn: true },
    { sale: end, isIn: false },
  ])('includes its start and excludes its end: a sale at $sale ms', async ({ sale, isIn }) => {
    const { program } = await withSales({ createdAt: at(sale) });
    const batch = await prepareBatch(program, { periodStart: at(start), periodEnd: at(end) });
    expect(batch.status).toBe(isIn ? 'READY' : 'NO_TRANSACTIONS');
  });

  it.each([
    { periodStart: at(-1), periodEnd: at(0), outcome: 'accepted' },
    { periodStart: at(-1), periodEnd: undefined, outcome: 'accepted' },
    { periodStart: at(0), periodEnd: undefined, outcome: { status: 400, path: 'periodStart' } },
    { periodStart: at(1), periodEnd: at(2), outcome: { status: 400, path: 'periodStart' } },
  ])('from $periodStart to $periodEnd', async ({ outcome, ...period }) => {
    expect(await outcomeOf(() => createBatch(newProgram(), period))).toEqual(outcome);
  });

  it('that ends in the future ends now', async () => {
    expect((await createBatch(newProgram(), { periodEnd: at(1) })).periodEnd).toBe(at(0));
    expect((await createBatch(newProgram(), { periodEnd: at(-1) })).periodEnd).toBe(at(-1));
  });
});

describe('a sale', () => {
  it.each<{ is: string; sale: Partial<StoredSale>; isIn: boolean }>([
    { is: 'active', sale: {}, isIn: true },
    {
      is: 'refunded in part',
      sale: { status: 'PARTIALLY_REFUNDED', refundedAmountMinor: 1, commissionEarnedMinor: 1000 },
      isIn: true,
    },
    {
      is: 'refunded in full',
      sale: { status: 'REFUNDED', refundedAmountMinor: 10_000, commissionEarnedMinor: 0 },
      isIn: false,
    },
    {
      is: 'refunded in full by an adjustment in another batch',
      sale: { status: 'REFUNDED', refundedAmountMinor: 10_000 },
      isIn: true,
    },
    { is: 'credited to nobody', sale: { affiliateId: null }, isIn: false },
    {
      is: 'of an affiliate that was deleted',
      sale: { affiliateId: '019a0000-0000-7000-8000-00000000dead' },
      isIn: false,
    },
    { is: 'in another batch', sale: { payoutBatchId: '019a0000-0000-7000-8000-0000000000b1' }, isIn: false },
  ])('that is $is', async ({ sale, isIn }) => {
    const { program } = await withSales(sale);
    expect(await prepareBatch(program)).toMatchObject({ saleCount: isIn ? 1 : 0, payoutCount: isIn ? 1 : 0 });
  });

  it('of several affiliates makes a payout for each, and sums are exact', async () => {
    const { program, affiliate } = await withSales({}, { commissionEarnedMinor: 1 });
    const other = await storeAffiliate(program);
    await storeSale(program, other.id, { createdAt: at(-1), commissionEarnedMinor: 250 });
    const batch = await prepareBatch(program);
    expect(batch).toMatchObject({ status: 'READY', payoutCount: 2, saleCount: 3, totalAmountMinor: '1251' });
    const payouts = await payoutsOf(program.id, batch.id, [affiliate.id, other.id]);
    expect(payouts.get(affiliate.id)).toMatchObject({ amountMinor: 1001n, saleCount: 2 });
    expect(payouts.get(other.id)).toMatchObject({ amountMinor: 250n, saleCount: 1 });
  });

  it('is in one batch only: the next one has nothing', async () => {
    const { program } = await withSales({});
    expect((await prepareBatch(program)).status).toBe('READY');
    expect(await prepareBatch(program)).toMatchObject({ status: 'NO_TRANSACTIONS', totalAmountMinor: '0' });
  });

  it('race: of two batches that are prepared at once each sale is in one', async () => {
    const { program, batchIdsOfSales } = await withSales(...Array.from({ length: 12 }, () => ({})));
    const batches = await Promise.all([prepareBatch(program), prepareBatch(program)]);
    expect(batches.reduce((sum, { saleCount }) => sum + saleCount, 0)).toBe(12);
    const counted = batches.reduce((sum, { totalAmountMinor }) => sum + Number(totalAmountMinor), 0);
    expect(counted).toBe(12_000);
    for (const { id, saleCount } of batches)
      expect((await batchIdsOfSales()).filter((batchId) => batchId === id)).toHaveLength(saleCount);
  });
});

describe('the affiliates of a batch', () => {
  it('are those that it names, each once', async () => {
    const { program, affiliate } = await withSales({});
    const other = await storeAffiliate(program);
    await storeSale(program, other.id, { createdAt: at(-1) });
    const batch = await prepareBatch(program, { affiliateIds: [affiliate.id, affiliate.id] });
    expect(batch).toMatchObject({ affiliateIds: [affiliate.id], payoutCount: 1, saleCount: 1 });
  });

  it.each([
    { paymentMethod: 'PAYPAL', isIn: true },
    { paymentMethod: 'WISE', isIn: false },
    { paymentMethod: null, isIn: false },
  ] as const)('have its payment method: $paymentMethod in a batch for PAYPAL', async ({ paymentMethod, isIn }) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program, { paymentMethod });
    await storeSale(program, affiliate.id, { createdAt: at(-1) });
    expect((await prepareBatch(program, { paymentMethod: 'PAYPAL' })).saleCount).toBe(isIn ? 1 : 0);
  });
});

describe('the minimum of a batch', () => {
  it.each([
    { minimumAmount: 20.01, status: 'NO_TRANSACTIONS' },
    { minimumAmount: 20, status: 'READY' },
    { minimumAmount: 19.99, status: 'READY' },
    { minimumAmount: undefined, status: 'READY' },
  ])('of $minimumAmount for a payout of 20.00', async ({ minimumAmount, status }) => {
    const { program, batchIdsOfSales } = await withSales({}, {});
    const batch = await prepareBatch(program, { ...(minimumAmount && { minimumAmount }) });
    expect(batch.status).toBe(status);
    const batchId = status === 'READY' ? batch.id : null;
    expect(await batchIdsOfSales()).toEqual([batchId, batchId]);
  });

  it('leaves the sales below it to the next batch', async () => {
    const { program } = await withSales({}, {});
    await prepareBatch(program, { minimumAmount: 20.01 });
    expect(await prepareBatch(program)).toMatchObject({ saleCount: 2, totalAmountMinor: '2000' });
  });

  it.each([
    { owed: -1999, status: 'READY', totalAmountMinor: '1' },
    { owed: -2000, status: 'NO_TRANSACTIONS', totalAmountMinor: '0' },
    { owed: -2001, status: 'NO_TRANSACTIONS', totalAmountMinor: '0' },
  ])('without one, is that something is left of 20.00 after $owed', async ({ owed, ...expected }) => {
    const { program, affiliate } = await withSales({}, {});
    await storeAdjustment(program, affiliate.id, owed);
    expect(await prepareBatch(program)).toMatchObject(expected);
  });
});
