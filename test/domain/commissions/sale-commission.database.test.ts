import { describe, expect, it } from 'vitest';
import { previewSale as previewOperation } from '../../../shared/contract/sale-preview.ts';
import { updateSale as updateOperation } from '../../../shared/contract/sales.ts';
import type { StoredAffiliate } from '../../../shared/domain/affiliates/rules.ts';
import { incrementTotalsWrite } from '../../../shared/domain/affiliates/totals.ts';
import { percent } from '../../../shared/domain/commissions/rules.ts';
import { defaultGroupId, type StoredGroup } from '../../../shared/domain/groups/rules.ts';
import { previewSale } from '../../../shared/domain/sales/preview-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { type StoredSale, saleResponse } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { incrementSumsWrite } from '../../../shared/domain/statistics/day-sums.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { type SaleInput, sell } from '../../support/create-sale.ts';
import {
  bodyOf,
  expectRefusal,
  newProgram,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeReferral,
  type TestProgram,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { editGroup, storeDefaultGroup, storeGroup } from './stored-group.ts';
import { flat } from './terms.ts';

const tier = { minimumRevenueMinor: null, minimumSales: null, period: 'ALL_TIME' as const };

const inGroup = async (
  terms: Partial<StoredGroup> = {},
  program = newProgram(),
  ofAffiliate: Partial<StoredAffiliate> = {},
) => {
  const group = await storeGroup(program, terms);
  const affiliate = await storeAffiliate(program, { groupId: group.id, ...ofAffiliate });
  const sellTo = (input: Partial<SaleInput> = {}, when = now) =>
    sell(program, { referralId: affiliate.id, ...input }, when);
  return { program, group, affiliate, sellTo };
};

const update = (program: TestProgram, sale: StoredSale, change: object, when = now) =>
  updateSale(program, bodyOf(updateOperation, { saleId: Number(sale.id), ...change }), undefined, when);

const soldInAll = ({ id }: TestProgram, { id: affiliateId }: StoredAffiliate, amounts: Record<string, bigint>) =>
  writeTogether([incrementTotalsWrite(id, affiliateId, amounts)]);

const soldOn = (
  { id }: TestProgram,
  { id: affiliateId }: StoredAffiliate,
  day: string,
  amounts: Record<string, bigint>,
) => writeTogether([incrementSumsWrite(id, { name: 'ONE_AFFILIATE', day, id: affiliateId }, amounts)]);

describe('a sale of an affiliate in a group', () => {
  it('earns what the group pays, and keeps the rule', async () => {
    const { program, group, sellTo } = await inGroup({
      commissionType: 'FLAT',
      commissionRate: null,
      commissionAmountMinor: 1500,
    });
    const sale = await sellTo();
    expect(saleResponse(sale, program)).toMatchObject({
      commissionEarned: 15,
      commissionRate: 0,
      commissionRule: { source: 'GROUP', type: 'FLAT', rate: null, amount: 15, groupId: group.id },
    });
  });

  it('earns what the program pays where the affiliate is in the default group', async () => {
    const program = newProgram({ commissionRate: 12 });
    const { id } = await storeAffiliate(program);
    expect(await sell(program, { referralId: id })).toMatchObject({
      commissionEarnedMinor: 1200,
      commissionRule: { source: 'PROGRAM', rate: 12, groupId: defaultGroupId(program.id) },
    });
    await storeDefaultGroup(program, { commissionRate: 50, productRules: [{ productIds: ['mug'], ...flat(300) }] });
    expect(await sell(program, { referralId: id })).toMatchObject({ commissionRule: { source: 'PROGRAM', rate: 12 } });
    expect(await sell(program, { referralId: id, product: { productId: 'mug' } })).toMatchObject({
      commissionEarnedMinor: 300,
      commissionRule: { source: 'PRODUCT' },
    });
  });

  it('can be paid when the days of the group are over', async () => {
    const { sellTo } = await inGroup({ holdDays: 30 });
    expect((await sellTo()).payableAt).toBe('2026-03-31T12:00:00.000Z');
    const without = await inGroup();
    expect((await without.sellTo()).payableAt).toBe(now.toISOString());
  });

  it('is of nobody with a code of nobody, and has no rule', async () => {
    const program = newProgram();
    await storeDefaultGroup(program, { holdDays: 30 });
    const { code } = await storeCode(program, await storeCoupon(program));
    expect(await sell(program, { promoCode: code, commissionRate: 30 })).toMatchObject({
      commissionEarnedMinor: 0,
      commissionRule: null,
      payableAt: now.toISOString(),
    });
  });

  it('keeps its rule through edits of the group, updates and refunds', async () => {
    const { program, group, sellTo } = await inGroup({
      commissionType: 'FLAT',
      commissionRate: null,
      commissionAmountMinor: 1000,
    });
    const sale = await sellTo();
    await editGroup(program, group, { commissionAmountMinor: 9000, holdDays: 9 });
    const updated = await update(program, sale, { totalEarned: 300 });
    expect(updated).toMatchObject({
      commissionEarnedMinor: 1000,
      commissionRule: sale.commissionRule,
      payableAt: sale.payableAt,
    });
    const { sale: refunded } = await refundSale(program, { saleId: Number(sale.id), amount: 100 }, undefined, now);
    expect(refunded).toMatchObject({ commissionEarnedMinor: 667, commissionRule: sale.commissionRule });
    const { sale: nothing } = await refundSale(program, { saleId: Number(sale.id) }, undefined, now);
    expect(nothing.commissionEarnedMinor).toBe(0);
  });

  it('earns by the group as it was read where that is edited at the same moment', async () => {
    const { program, group, sellTo } = await inGroup({ holdDays: 1 });
    const sale = await interrupted(sellTo, () => editGroup(program, group, { commissionRate: 50, holdDays: 90 }));
    expect(sale).toMatchObject({ commissionEarnedMinor: 2500, payableAt: '2026-03-02T12:00:00.000Z' });
  });
});

describe('an update of the rate of a sale', () => {
  it('makes it the own one of the sale, and null brings back what applies by then', async () => {
    const { program, group, sellTo } = await inGroup({ productRules: [{ productIds: ['mug'], ...flat(700) }] });
    const sale = await sellTo({ product: { productId: 'mug' } });
    const own = await update(program, sale, { commissionRate: 0 });
    expect(own).toMatchObject({
      commissionEarnedMinor: 0,
      commissionRate: 0,
      commissionRule: { source: 'SALE', rate: 0 },
    });
    await editGroup(program, group, { productRules: [{ productIds: ['mug'], ...flat(900) }], holdDays: 5 });
    const back = await update(program, sale, { commissionRate: null, totalEarned: 50 });
    expect(back).toMatchObject({
      commissionEarnedMinor: 900,
      commissionRule: { source: 'PRODUCT', amountMinor: 900, groupId: group.id },
      payableAt: sale.payableAt,
    });
  });

  it.each([
    { change: { commissionRate: 0 }, outcome: 409 },
    { change: { commissionRate: null }, outcome: 200 },
    { change: { totalEarned: 90 }, outcome: 409 },
    { change: { name: 'Priya' }, outcome: 200 },
  ])(
    'in a payout batch is refused where it moves the flat amount: $change is $outcome',
    async ({ change, outcome }) => {
      const { program, sellTo } = await inGroup({
        commissionType: 'FLAT',
        commissionRate: null,
        commissionAmountMinor: 1000,
      });
      const sale = await sellTo();
      await writeTogether(sales.updateWrites(program.id, sale, { ...sale, payoutBatchId: 'batch' }));
      const act = () => update(program, sale, change);
      if (outcome === 409) await expectRefusal(act, { status: 409 });
      else expect(await act()).toMatchObject({ commissionEarnedMinor: 1000 });
    },
  );

  it('counts the months of the group by the day of the sale, not of the update', async () => {
    const { program, sellTo } = await inGroup({ commissionMonths: 1 });
    const sale = await sellTo({ customerId: 'c1', commissionRate: 3 });
    const later = new Date('2026-09-01T12:00:00.000Z');
    expect(await update(program, sale, { commissionRate: null }, later)).toMatchObject({ commissionEarnedMinor: 2500 });
  });
});

describe('the tiers of a group', () => {
  it('are reached by all sales of the affiliate, or by those of this month in the time zone of the program', async () => {
    const tiers = [
      { ...tier, minimumRevenueMinor: 50_000, ...percent(30) },
      { ...tier, minimumSales: 3, period: 'MONTH' as const, ...percent(40) },
    ];
    const { program, affiliate, sellTo } = await inGroup({ tiers }, newProgram({ timeZone: 'Asia/Tokyo' }));
    // The first of April in Tokyo already.
    const april = new Date('2026-03-31T15:00:00.000Z');
    const march = new Date(april.getTime() - 1);
    await soldInAll(program, affiliate, { totalRevenueMinor: 49_999n, numberOfSales: 9n });
    await soldOn(program, affiliate, '2026-02-28', { sales: 9n });
    await soldOn(program, affiliate, '2026-03-01', { sales: 2n });
    expect(await sellTo({}, march)).toMatchObject({ commissionRule: { source: 'GROUP', rate: 25 } });
    await soldInAll(program, affiliate, { totalRevenueMinor: 1n });
    expect((await sellTo({}, march)).commissionRule).toMatchObject({
      source: 'TIER',
      rate: 30,
      tier: { measure: 'REVENUE', period: 'ALL_TIME', minimum: 50_000, reached: '50000' },
    });
    await soldOn(program, affiliate, '2026-03-31', { sales: 1n });
    expect((await sellTo({}, march)).commissionRule).toMatchObject({ rate: 40, tier: { reached: '3' } });
    expect(await sellTo({}, april)).toMatchObject({ commissionRule: { source: 'TIER', rate: 30 } });
  });

  it('of another affiliate count for nothing', async () => {
    const { program, group, sellTo } = await inGroup({ tiers: [{ ...tier, minimumSales: 1, ...percent(30) }] });
    const other = await storeAffiliate(program, { groupId: group.id });
    await soldInAll(program, other, { numberOfSales: 9n });
    expect(await sellTo()).toMatchObject({ commissionRule: { source: 'GROUP' } });
  });
});

describe('the months of a group', () => {
  const later = new Date('2026-06-15T12:00:00.000Z');

  it.each([
    { by: 'email', first: { email: 'priya@example.com' }, next: { email: 'priya@example.com' }, earns: 0 },
    { by: 'customerId', first: { customerId: 'c1' }, next: { customerId: 'c1' }, earns: 0 },
    {
      by: 'email before customerId',
      first: { email: 'a@example.com', customerId: 'c1' },
      next: { customerId: 'c1' },
      earns: 2500,
    },
    { by: 'another customer', first: { customerId: 'c1' }, next: { customerId: 'c2' }, earns: 2500 },
    { by: 'nothing', first: {}, next: {}, earns: 2500 },
  ])('begin with the first sale of the customer, known by $by', async ({ first, next, earns }) => {
    const { sellTo } = await inGroup({ commissionMonths: 3 });
    expect(await sellTo(first)).toMatchObject({ commissionEarnedMinor: 2500 });
    expect(await sellTo(next, later)).toMatchObject({ commissionEarnedMinor: earns });
    // The second sale is not the first one, by no edit of the customer.
    expect(await sellTo(next, later)).toMatchObject({ commissionEarnedMinor: earns });
  });

  it('are known of the customer of a referral, whatever names it', async () => {
    const { program, affiliate, sellTo } = await inGroup({ commissionMonths: 3 });
    const referral = await storeReferral(program, { affiliateId: affiliate.id });
    const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
    await sellTo({ referralId: referral.id });
    const earned = async (input: Partial<SaleInput>) => (await sell(program, input, later)).commissionEarnedMinor;
    expect(await earned({ referralId: referral.id })).toBe(0);
    expect(await earned({ email: referral.email })).toBe(0);
    expect(await earned({ promoCode: code, referralId: referral.id })).toBe(0);
    expect(await earned({ promoCode: code })).toBe(2500);
  });

  it('begin for a customer that a sale moves to with the time of that sale', async () => {
    const { program, sellTo } = await inGroup({ commissionMonths: 3 });
    const sale = await sellTo({ email: 'one@example.com' });
    await update(program, sale, { email: 'other@example.com' }, later);
    expect(await sellTo({ email: 'other@example.com' }, later)).toMatchObject({ commissionEarnedMinor: 0 });
  });

  it('pay both of two first sales that race', async () => {
    const { sellTo } = await inGroup({ commissionMonths: 1 });
    const input = { email: 'priya@example.com' };
    const slower = new Date(now.getTime() + 10);
    const sold = await Promise.all([sellTo(input, slower), sellTo(input), sellTo(input, slower)]);
    expect(sold.map(({ commissionEarnedMinor }) => commissionEarnedMinor)).toEqual([2500, 2500, 2500]);
    expect(await sellTo(input, new Date('2026-04-01T00:00:00.000Z'))).toMatchObject({
      commissionEarnedMinor: 0,
      commissionRule: { source: 'GROUP', overSince: '2026-03-01' },
    });
  });
});

describe('a preview', () => {
  it('says what a sale then earns, and records nothing', async () => {
    const { program, affiliate, sellTo } = await inGroup({
      holdDays: 14,
      commissionMonths: 3,
      productRules: [{ productIds: ['mug'], ...flat(450) }],
    });
    const preview = (input: object, when = now) =>
      previewSale(program, bodyOf(previewOperation, { affiliateId: affiliate.id, totalEarned: 100, ...input }), when);
    const product = { productId: 'mug' };
    const { commissionRate, commissionRule, commissionEarnedMinor, payableAt } = await sellTo({
      product,
      customerId: 'c',
    });
    const earning = { commissionRate, commissionRule, commissionEarnedMinor, payableAt };
    expect(await preview({ product, customerId: 'c' })).toEqual(earning);
    const later = new Date('2026-08-01T12:00:00.000Z');
    expect(await preview({ customerId: 'c' }, later)).toMatchObject({ commissionEarnedMinor: 0 });
    expect(await preview({ customerId: 'other' }, later)).toMatchObject({ commissionEarnedMinor: 2500 });
    expect(await preview({}, later)).toMatchObject({ commissionEarnedMinor: 2500 });
  });

  it('is refused as the sale would be', async () => {
    const program = newProgram();
    const { id } = await storeAffiliate(program, { status: 'INACTIVE' });
    const preview = (affiliateId: string, totalEarned: number) =>
      previewSale(program, bodyOf(previewOperation, { affiliateId, totalEarned }), now);
    await expectRefusal(() => preview(id, 10), { status: 400, path: 'affiliateId', code: 'affiliate_not_active' });
    await expectRefusal(() => preview(id, 0.001), { status: 400, path: 'totalEarned' });
    await expectRefusal(() => preview('019a0000-0000-7000-8000-00000000dead', 10), { status: 404 });
  });
});
