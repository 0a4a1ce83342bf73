import { describe, expect, it } from 'vitest';
import { updateSale as operation } from '../../../shared/contract/sales.ts';
import { hasOrdered, orderWrite } from '../../../shared/domain/attribution/customers.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { listSales } from '../../../shared/domain/sales/list-sales.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import {
  at,
  bodyOf,
  newProgram,
  openAdjustmentsIn,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { storeDefaultGroup } from '../commissions/stored-group.ts';

const later = new Date(at(60_000));
const payoutBatchId = '019a0000-0000-7000-8000-0000000000b1';

type Input = Omit<Parameters<typeof bodyOf<typeof operation.body>>[1], 'saleId'>;

const update = (program: TestProgram, { id }: StoredSale, input: Input, versions?: number[]) =>
  updateSale(program, bodyOf(operation, { saleId: Number(id), ...input }), versions, later);

/** A sale of 100.00 at 10 % of a new affiliate. */
const newSale = async (overrides: Partial<StoredSale> = {}) => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  return { program, affiliate, sale: await storeSale(program, affiliate.id, overrides) };
};

const badTotal = { status: 400, path: 'totalEarned' };
const refunded = { refundedAmountMinor: 4000, status: 'PARTIALLY_REFUNDED', commissionEarnedMinor: 600 } as const;

describe('an update of a sale', () => {
  it("refuses its affiliate's own email, unless its code is limited to that affiliate", async () => {
    const { program, affiliate, sale } = await newSale({ email: 'customer@example.com' });
    const own = { email: affiliate.email.toUpperCase() };
    const refusal = { status: 400, path: 'email', code: 'self_referral' };
    expect(await outcomeOf(() => update(program, sale, own))).toEqual(refusal);
    expect(await outcomeOf(() => update(program, sale, { email: 'other@example.com' }))).toBe('accepted');
    const terms = { affiliateId: affiliate.id, limitToAffiliate: true };
    const { id: promotionalCodeId } = await storeCode(program, await storeCoupon(program), terms);
    const byCode = await storeSale(program, affiliate.id, { promotionalCodeId });
    expect(await outcomeOf(() => update(program, byCode, own))).toBe('accepted');
  });

  it('with a rate of null is by the rate of the program where a paid sale has outlived its affiliate', async () => {
    const program = newProgram({ commissionRate: 10 });
    const sale = await storeSale(program, '019a0000-0000-7000-8000-00000000dead', { payoutBatchId, paidAt: at(0) });
    expect(await update(program, sale, { commissionRate: null })).toMatchObject({
      commissionEarnedMinor: 1000,
      commissionRule: { source: 'PROGRAM', rate: 10 },
    });
  });

  // docs/behavior.md#null-in-updates
  it.each([
    { own: 30, rate: 30 },
    { own: null, rate: newProgram().commissionRate },
  ])('with a rate of null has the one that applies: $own of the affiliate is $rate', async ({ own, rate }) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program, { commissionRate: own });
    const sale = await storeSale(program, affiliate.id, { commissionRate: 7, commissionEarnedMinor: 700 });
    expect(await update(program, sale, { commissionRate: null })).toMatchObject({
      commissionRate: rate,
      commissionEarnedMinor: rate * 100,
    });
    const ofNobody = await storeSale(program, affiliate.id, { affiliateId: null, commissionRate: 7 });
    expect(await update(program, ofNobody, { commissionRate: null })).toMatchObject({ commissionRate: 0 });
  });

  it.each([
    { from: 'long-known@example.com', to: 'new@example.com', commissionEarnedMinor: 1000 },
    { from: 'new@example.com', to: 'long-known@example.com', commissionEarnedMinor: 0 },
  ])('from $from to $to decides the months of the group by the latter', async ({ from, to, commissionEarnedMinor }) => {
    const { program, sale } = await newSale({ email: from });
    await storeDefaultGroup(program, { commissionRate: 10, commissionMonths: 1 });
    await writeTogether([
      orderWrite(program.id, 'long-known@example.com', '2025-01-01T00:00:00.000Z'),
      orderWrite(program.id, 'new@example.com', sale.createdAt),
    ]);
    expect(await update(program, sale, { email: to, commissionRate: null })).toMatchObject({ commissionEarnedMinor });
  });

  it('with metadata of null has none', async () => {
    const { program, sale } = await newSale({ metadata: { plan: 'pro' } });
    expect(await update(program, sale, { metadata: null })).toMatchObject({ metadata: {} });
  });

  it.each<{ input: Input; before?: Partial<StoredSale>; after: Partial<StoredSale> }>([
    { input: { totalEarned: 200 }, after: { totalEarnedMinor: 20_000, commissionEarnedMinor: 2000, status: 'ACTIVE' } },
    { input: { commissionRate: 0 }, after: { commissionRate: 0, commissionEarnedMinor: 0 } },
    { input: { commissionRate: 12.345 }, after: { commissionRate: 12.345, commissionEarnedMinor: 1235 } },
    { input: { totalEarned: 0.05 }, after: { totalEarnedMinor: 5, commissionEarnedMinor: 1 } },
    {
      input: { totalEarned: 50 },
      before: refunded,
      after: { totalEarnedMinor: 5000, commissionEarnedMinor: 100, status: 'PARTIALLY_REFUNDED' },
    },
    {
      input: { totalEarned: 40 },
      before: refunded,
      after: { totalEarnedMinor: 4000, commissionEarnedMinor: 0, status: 'REFUNDED' },
    },
    {
      input: { totalEarned: 200 },
      before: { refundedAmountMinor: 10_000, status: 'REFUNDED', commissionEarnedMinor: 0 },
      after: { commissionEarnedMinor: 1000, status: 'PARTIALLY_REFUNDED' },
    },
    { input: { name: null, metadata: { plan: 'pro' } }, before: { name: 'Priya' }, after: { name: null } },
  ])('$input of a sale with $before', async ({ input, before, after }) => {
    const { program, sale } = await newSale(before);
    const updated = await update(program, sale, input);
    expect(updated).toMatchObject({ ...after, version: 2, updatedAt: later.toISOString() });
    expect(await sales.get(program.id, sale.id)).toEqual(updated);
  });

  it('is found by the words of its customer as they are then', async () => {
    const { program, sale } = await newSale({ name: 'Priya', email: 'priya@example.com', searchWords: ['priya'] });
    const foundBy = async (search: string) =>
      (await listSales(program.id, { search }, { limit: 10 })).items.map(({ id }) => id);
    await update(program, sale, { name: 'Zoë Sharma' });
    expect([await foundBy('zoe'), await foundBy('sharma')]).toEqual([[sale.id], [sale.id]]);
    await update(program, sale, { email: 'amara@example.org' });
    expect([await foundBy('zoe'), await foundBy('amara')]).toEqual([[sale.id], [sale.id]]);
    expect(await foundBy('priya')).toEqual([]);
  });

  it.each([
    { totalEarned: 39.99, outcome: badTotal },
    { totalEarned: 40, outcome: 'accepted' },
    { totalEarned: 0.0049, outcome: badTotal },
  ])('to $totalEarned of a sale of which 40.00 are refunded', async ({ totalEarned, outcome }) => {
    const { program, sale } = await newSale(refunded);
    expect(await outcomeOf(() => update(program, sale, { totalEarned }))).toEqual(outcome);
  });

  it('to an amount that rounds to 0 is refused, the smallest one is not', async () => {
    const { program, sale } = await newSale();
    expect(await outcomeOf(() => update(program, sale, { totalEarned: 0.0049 }))).toEqual(badTotal);
    expect(await outcomeOf(() => update(program, sale, { totalEarned: 0.005 }))).toBe('accepted');
  });

  it.each([
    { commissionRate: 0, outcome: 'accepted' },
    { commissionRate: 0.1, outcome: { status: 400, path: 'commissionRate' } },
  ])('to $commissionRate % where nobody is credited', async ({ commissionRate, outcome }) => {
    const { program, sale } = await newSale({ affiliateId: null, commissionRate: 0, commissionEarnedMinor: 0 });
    expect(await outcomeOf(() => update(program, sale, { commissionRate }))).toEqual(outcome);
  });

  it.each<{ input: Input; outcome: unknown }>([
    { input: { totalEarned: 100.01 }, outcome: { status: 409 } },
    { input: { commissionRate: 10.001 }, outcome: { status: 409 } },
    { input: { totalEarned: 100, commissionRate: 10 }, outcome: 'accepted' },
    { input: { name: 'Priya', email: 'priya@example.com' }, outcome: 'accepted' },
  ])('$input of a sale in a payout batch keeps its amounts', async ({ input, outcome }) => {
    const { program, sale } = await newSale({ payoutBatchId });
    expect(await outcomeOf(() => update(program, sale, input))).toEqual(outcome);
    const { totalEarnedMinor, commissionRate, commissionEarnedMinor } = sale;
    expect(await sales.get(program.id, sale.id)).toMatchObject({
      totalEarnedMinor,
      commissionRate,
      commissionEarnedMinor,
    });
  });

  it('keeps the commission that entered a batch, also after a refund', async () => {
    const { program, sale } = await newSale({ ...refunded, commissionEarnedMinor: 1000, payoutBatchId });
    expect((await update(program, sale, { name: 'Priya' })).commissionEarnedMinor).toBe(1000);
  });

  it('keeps apart what an open adjustment takes back after the batch was deleted', async () => {
    const { program, sale } = await newSale({ ...refunded, commissionEarnedMinor: 1000 });
    const updated = await update(program, sale, { totalEarned: 200 });
    // 16.00 of commission on what was not refunded, and 4.00 that the adjustment takes back.
    expect(updated.commissionEarnedMinor).toBe(2000);
  });

  it.each(['externalId', 'externalInvoiceId'] as const)('to the %s of another sale is refused', async (field) => {
    const { program, affiliate, sale } = await newSale();
    await storeSale(program, affiliate.id, { [field]: 'order-1' });
    expect(await outcomeOf(() => update(program, sale, { [field]: 'order-1' }))).toEqual({ status: 409, path: field });
    expect(await outcomeOf(() => update(program, sale, { [field]: 'order-2' }))).toBe('accepted');
  });

  it('moves the order to another customer', async () => {
    const { program, sale } = await newSale({ email: 'one@example.com' });
    await writeTogether([orderWrite(program.id, 'one@example.com', at(0))]);
    const ordered = () =>
      Promise.all(['one@example.com', 'other@example.com'].map((email) => hasOrdered(program.id, email)));
    expect(await ordered()).toEqual([true, false]);
    await update(program, sale, { name: 'Priya' });
    expect(await ordered()).toEqual([true, false]);
    await update(program, sale, { email: 'other@example.com' });
    expect(await ordered()).toEqual([false, true]);
    await update(program, sale, { email: null });
    expect(await ordered()).toEqual([false, false]);
  });

  it.each([
    { versions: [1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
  ])('of a sale of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const { program, sale } = await newSale();
    expect(await outcomeOf(() => update(program, sale, { name: 'Priya' }, versions))).toEqual(outcome);
  });
});

describe('a deletion of a sale', () => {
  it.each([
    { before: {}, versions: undefined, outcome: 'accepted' },
    { before: {}, versions: [1], outcome: 'accepted' },
    { before: {}, versions: [2], outcome: { status: 412 } },
    { before: { payoutBatchId }, versions: undefined, outcome: { status: 409 } },
    { before: { payoutBatchId, paidAt: at(0) }, versions: undefined, outcome: { status: 409 } },
  ])('with $before where $versions are expected', async ({ before, versions, outcome }) => {
    const { program, sale } = await newSale(before);
    expect(await outcomeOf(() => deleteSale(program.id, Number(sale.id), versions, later))).toEqual(outcome);
    expect((await sales.get(program.id, sale.id)) === undefined).toBe(outcome === 'accepted');
  });

  it.each([
    { before: refunded, adjustments: [] },
    // Its batch was deleted while the adjustment of the refund is in another one.
    { before: { ...refunded, commissionEarnedMinor: 1000 }, adjustments: [400] },
  ])('gives back what adjustments took beyond it: $adjustments', async ({ before, adjustments }) => {
    const { program, sale } = await newSale(before);
    await deleteSale(program.id, Number(sale.id), undefined, later);
    expect((await openAdjustmentsIn(program)).map(({ amountMinor }) => amountMinor)).toEqual(adjustments);
  });

  it('frees its external ids', async () => {
    const { program, affiliate, sale } = await newSale({ externalId: 'order-1', externalInvoiceId: 'invoice-1' });
    await deleteSale(program.id, Number(sale.id), undefined, later);
    await storeSale(program, affiliate.id, { externalId: 'order-1', externalInvoiceId: 'invoice-1' });
  });

  it('of none is refused', async () => {
    expect(await outcomeOf(() => deleteSale(newProgram().id, 1, undefined, later))).toEqual({ status: 404 });
  });
});
