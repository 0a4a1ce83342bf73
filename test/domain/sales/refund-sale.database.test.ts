import { describe, expect, it } from 'vitest';
import { refundSale as operation } from '../../../shared/contract/sales.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  openAdjustmentsIn,
  outcomeOf,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';

const later = new Date(at(60_000));

const refund = (program: TestProgram, { id }: StoredSale, amount?: number, versions?: number[]) =>
  refundSale(program, bodyOf(operation, { saleId: Number(id), ...(amount && { amount }) }), versions, later);

/** A sale of 100.00 at 10 % of a new affiliate. */
const newSale = async (overrides: Partial<StoredSale> = {}, program = newProgram()) => {
  const affiliate = await storeAffiliate(program);
  return { program, affiliate, sale: await storeSale(program, affiliate.id, overrides) };
};

const tooMuch = { status: 400, path: 'amount' };

describe('a refund', () => {
  it.each([
    { amount: undefined, refundedMinor: 10_000, status: 'REFUNDED', commissionMinor: 0 },
    { amount: 100, refundedMinor: 10_000, status: 'REFUNDED', commissionMinor: 0 },
    { amount: 99.99, refundedMinor: 9999, status: 'PARTIALLY_REFUNDED', commissionMinor: 0 },
    { amount: 99.95, refundedMinor: 9995, status: 'PARTIALLY_REFUNDED', commissionMinor: 1 },
    { amount: 40, refundedMinor: 4000, status: 'PARTIALLY_REFUNDED', commissionMinor: 600 },
    { amount: 0.01, refundedMinor: 1, status: 'PARTIALLY_REFUNDED', commissionMinor: 1000 },
    { amount: 0.06, refundedMinor: 6, status: 'PARTIALLY_REFUNDED', commissionMinor: 999 },
  ])('of $amount of 100.00 leaves $commissionMinor minor units of commission', async (expected) => {
    const { program, sale } = await newSale();
    const { sale: refunded, alreadyRefunded } = await refund(program, sale, expected.amount);
    expect(alreadyRefunded).toBe(false);
    expect(refunded).toEqual({
      ...sale,
      version: 2,
      updatedAt: later.toISOString(),
      refundedAt: later.toISOString(),
      refundedAmountMinor: expected.refundedMinor,
      status: expected.status,
      commissionEarnedMinor: expected.commissionMinor,
    });
    expect(await sales.get(program.id, sale.id)).toEqual(refunded);
    expect(await openAdjustmentsIn(program)).toEqual([]);
  });

  it.each([
    { amount: 100.01, before: 0, outcome: tooMuch },
    { amount: 60.01, before: 4000, outcome: tooMuch },
    { amount: 60, before: 4000, outcome: 'accepted' },
    { amount: 0.0049, before: 0, outcome: tooMuch },
    { amount: 0.005, before: 0, outcome: 'accepted' },
  ])('of $amount after one of $before minor units of 100.00', async ({ amount, before, outcome }) => {
    const { program, sale } = await newSale({ refundedAmountMinor: before });
    expect(await outcomeOf(() => refund(program, sale, amount))).toEqual(outcome);
    const refunded = await sales.get(program.id, sale.id);
    expect(refunded?.version).toBe(outcome === 'accepted' ? 2 : 1);
  });

  it('in parts takes back exactly the commission', async () => {
    const { program, sale } = await newSale({ commissionRate: 33.333, commissionEarnedMinor: 3333 });
    const first = await refund(program, sale, 33.33);
    const second = await refund(program, sale, 33.33);
    const last = await refund(program, sale);
    expect([first, second, last].map(({ sale: { commissionEarnedMinor: minor } }) => minor)).toEqual([2222, 1111, 0]);
    expect(last.sale).toMatchObject({ status: 'REFUNDED', refundedAmountMinor: 10_000, version: 4 });
  });

  it.each([undefined, 100, 0.01])('of %s after a full one changes nothing and says so', async (amount) => {
    const { program, sale } = await newSale();
    const { sale: refunded } = await refund(program, sale);
    expect(await refund(program, sale, amount)).toEqual({ sale: refunded, alreadyRefunded: true });
    expect(await sales.get(program.id, sale.id)).toEqual(refunded);
  });

  it.each([
    { versions: [1], outcome: 'accepted' },
    { versions: [7, 1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
    { versions: [], outcome: { status: 412 } },
  ])('of a sale of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const { program, sale } = await newSale();
    expect(await outcomeOf(() => refund(program, sale, 10, versions))).toEqual(outcome);
  });

  it('of a sale of another program is refused as of none', async () => {
    const { sale } = await newSale();
    expect(await outcomeOf(() => refund(newProgram(), sale))).toEqual({ status: 404 });
  });

  it('race: of ten refunds of 30.00 at once three are accepted', async () => {
    const { program, sale } = await newSale();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(() => refund(program, sale, 30))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(3);
    expect(await sales.get(program.id, sale.id)).toMatchObject({
      refundedAmountMinor: 9000,
      commissionEarnedMinor: 100,
    });
  });
});

describe('a refund of a sale in a payout batch', () => {
  const payoutBatchId = '019a0000-0000-7000-8000-0000000000b1';

  it.each([
    { amount: undefined, adjustments: [-1000] },
    { amount: 40, adjustments: [-400] },
    { amount: 0.06, adjustments: [-1] },
    { amount: 0.01, adjustments: [] },
  ])('of $amount keeps its commission and makes the adjustments $adjustments', async ({ amount, adjustments }) => {
    const { program, affiliate, sale } = await newSale({ payoutBatchId });
    const { sale: refunded } = await refund(program, sale, amount);
    expect(refunded.commissionEarnedMinor).toBe(1000);
    const made = await openAdjustmentsIn(program);
    expect(made).toEqual(
      adjustments.map((amountMinor) =>
        expect.objectContaining({
          amountMinor,
          affiliateId: affiliate.id,
          saleId: sale.id,
          createdAt: later.toISOString(),
        }),
      ),
    );
  });

  it('makes one adjustment for each refund, and together they are the commission', async () => {
    const { program, sale } = await newSale({ payoutBatchId, paidAt: now.toISOString() });
    await refund(program, sale, 33.33);
    await refund(program, sale, 33.33);
    await refund(program, sale);
    const amounts = (await openAdjustmentsIn(program)).map(({ amountMinor }) => amountMinor);
    expect(amounts).toHaveLength(3);
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(-1000);
  });

  it('makes no adjustment for an affiliate that was deleted', async () => {
    const program = newProgram();
    const sale = await storeSale(program, '019a0000-0000-7000-8000-00000000dead', { payoutBatchId });
    await refund(program, sale);
    expect(await openAdjustmentsIn(program)).toEqual([]);
  });
});
