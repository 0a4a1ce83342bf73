import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commissionOf,
  commissionRuleResponse,
  earnedMinor,
  type GroupTerms,
  type History,
  percent,
  type SaleToEarn,
  type Terms,
  type Tier,
} from '../../../shared/domain/commissions/rules.ts';

const flat = (amountMinor: number): Terms => ({ type: 'FLAT', rate: null, amountMinor });
const group = (overrides: Partial<GroupTerms> = {}): GroupTerms => ({
  id: 'group',
  isDefault: false,
  commissionType: 'PERCENTAGE',
  commissionRate: 10,
  commissionAmountMinor: null,
  commissionMonths: null,
  productRules: [],
  tiers: [],
  ...overrides,
});
const figures = (revenueMinor: number, sales: number) => ({ revenueMinor: BigInt(revenueMinor), sales });
const history = (overrides: Partial<History> = {}): History => ({
  firstSaleDay: undefined,
  figures: { ALL_TIME: figures(0, 0), MONTH: figures(0, 0) },
  ...overrides,
});
const sale = (overrides: Partial<SaleToEarn> = {}): SaleToEarn => ({
  totalEarnedMinor: 10_000,
  day: '2026-03-15',
  productIds: [],
  commissionRate: null,
  ...overrides,
});
const byRevenue = (minimumRevenueMinor: number, terms: Terms, period: Tier['period'] = 'ALL_TIME'): Tier => ({
  minimumRevenueMinor,
  minimumSales: null,
  period,
  ...terms,
});
const bySales = (minimumSales: number, terms: Terms, period: Tier['period'] = 'ALL_TIME'): Tier => ({
  minimumRevenueMinor: null,
  minimumSales,
  period,
  ...terms,
});
const nobodysRate = { commissionRate: null };

/** The quotient of whole numbers, neither of them negative, rounded half-up. */
const roundedHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

const total = fc.integer({ min: 1, max: 1_000_000_000_000 });
const rate = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000);
const amount = fc.integer({ min: 0, max: 1_000_000_000 });
const terms = fc.oneof(rate.map(percent), amount.map(flat));
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const period = fc.constantFrom('ALL_TIME' as const, 'MONTH' as const);
const tier = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 1000 }), terms, period)
  .map(([isRevenue, minimum, of, during]) => (isRevenue ? byRevenue : bySales)(minimum, of, during));
const someFigures = fc
  .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }))
  .map(([revenue, sales]) => figures(revenue, sales));
const anyHistory = fc
  .record({ ALL_TIME: someFigures, MONTH: someFigures })
  .map((of) => history({ figures: of }));
const productRule = fc
  .tuple(fc.constantFrom('a', 'b', 'c'), terms)
  .map(([productId, of]) => ({ productIds: [productId], ...of }));
const anyGroup = fc
  .record({
    isDefault: fc.boolean(),
    base: terms,
    productRules: fc.uniqueArray(productRule, { selector: ({ productIds }) => productIds[0] }),
    tiers: fc.array(tier, { maxLength: 4 }),
  })
  .map(({ base, ...others }) =>
    group({
      ...others,
      commissionType: base.type,
      commissionRate: base.rate,
      commissionAmountMinor: base.amountMinor,
    }),
  );

/** What terms earn of the whole sale, by whole numbers alone. */
const expectedOf = ({ rate: ofTotal, amountMinor }: Terms, totalMinor: number): bigint =>
  amountMinor === null
    ? roundedHalfUp(BigInt(totalMinor) * BigInt(Math.round((ofTotal ?? 0) * 1000)), 100_000n)
    : BigInt(amountMinor);

describe('the first that there is decides', () => {
  it('the rate of the sale, before all others and after any month', () => {
    fc.assert(
      fc.property(total, rate, maybe(rate), anyGroup, anyHistory, (totalEarnedMinor, own, ofAffiliate, of, before) => {
        const decided = commissionOf(
          sale({ totalEarnedMinor, commissionRate: own, productIds: ['a'] }),
          { commissionRate: ofAffiliate },
          { ...of, commissionMonths: 1 },
          { ...before, firstSaleDay: '2020-01-01' },
        );
        expect(decided.rule).toMatchObject({ source: 'SALE', type: 'PERCENTAGE', rate: own, overSince: null });
        expect(BigInt(decided.commissionMinor)).toBe(expectedOf(percent(own), totalEarnedMinor));
      }),
    );
  });

  it('else the rate of the affiliate', () => {
    fc.assert(
      fc.property(total, rate, anyGroup, anyHistory, (totalEarnedMinor, own, of, before) => {
        const bought = sale({ totalEarnedMinor, productIds: ['a'] });
        const decided = commissionOf(bought, { commissionRate: own }, of, before);
        expect(decided.rule).toMatchObject({ source: 'AFFILIATE', rate: own, amountMinor: null, tier: null });
        expect(BigInt(decided.commissionMinor)).toBe(expectedOf(percent(own), totalEarnedMinor));
      }),
    );
  });

  it('else the rule of the product', () => {
    fc.assert(
      fc.property(total, terms, anyGroup, anyHistory, (totalEarnedMinor, ofProduct, of, before) => {
        const productRules = [{ productIds: ['x', 'y'], ...ofProduct }, ...of.productRules];
        const bought = sale({ totalEarnedMinor, productIds: ['y'] });
        const decided = commissionOf(bought, nobodysRate, { ...of, productRules }, before);
        expect(decided.rule).toMatchObject({ source: 'PRODUCT', ...ofProduct, tier: null });
        expect(BigInt(decided.commissionMinor)).toBe(expectedOf(ofProduct, totalEarnedMinor));
      }),
    );
  });

  it('else a tier that was reached', () => {
    fc.assert(
      fc.property(total, anyGroup, anyHistory, (totalEarnedMinor, of, before) => {
        const { rule, commissionMinor } = commissionOf(
          sale({ totalEarnedMinor, productIds: ['z'] }),
          nobodysRate,
          of,
          before,
        );
        const reached = of.tiers.filter(({ minimumRevenueMinor, minimumSales, period: during }) =>
          minimumRevenueMinor === null
            ? before.figures[during].sales >= (minimumSales ?? 0)
            : before.figures[during].revenueMinor >= minimumRevenueMinor,
        );
        expect(rule?.source === 'TIER').toBe(reached.length > 0);
        if (rule?.source !== 'TIER') return;
        expect(reached).toContainEqual(
          expect.objectContaining({ type: rule.type, rate: rule.rate, amountMinor: rule.amountMinor }),
        );
        expect(BigInt(commissionMinor)).toBe(expectedOf(rule, totalEarnedMinor));
      }),
    );
  });

  it('else the base of the group, or of the program for its default group', () => {
    fc.assert(
      fc.property(total, anyGroup, anyHistory, (totalEarnedMinor, { tiers: _tiers, ...of }, before) => {
        const decided = commissionOf(
          sale({ totalEarnedMinor, productIds: ['z'] }),
          nobodysRate,
          { ...of, tiers: [] },
          before,
        );
        const base = { type: of.commissionType, rate: of.commissionRate, amountMinor: of.commissionAmountMinor };
        expect(decided.rule).toEqual({
          source: of.isDefault ? 'PROGRAM' : 'GROUP',
          ...base,
          groupId: 'group',
          tier: null,
          overSince: null,
        });
        expect(BigInt(decided.commissionMinor)).toBe(expectedOf(base, totalEarnedMinor));
      }),
    );
  });

  it('and nothing where nobody is credited, whatever the rate of the sale', () =>
    expect(commissionOf(sale({ commissionRate: 30 }), undefined, group(), history())).toEqual({
      commissionMinor: 0,
      rule: null,
    }));
});

describe('of the tiers', () => {
  const decidedBy = (tiers: readonly Tier[], of: History['figures'], totalEarnedMinor = 10_000) =>
    commissionOf(sale({ totalEarnedMinor }), nobodysRate, group({ tiers }), history({ figures: of })).rule;

  it.each([
    [99, 'GROUP', 10],
    [100, 'TIER', 15],
    [499, 'TIER', 15],
    [500, 'TIER', 12],
  ])('the one with the highest minimum reached applies, at its minimum already: %i is %s of %i %%', (revenue, source, is) => {
    const tiers = [byRevenue(500, percent(12)), byRevenue(100, percent(15))];
    expect(decidedBy(tiers, { ALL_TIME: figures(revenue, 0), MONTH: figures(0, 0) })).toMatchObject({ source, rate: is });
  });

  it.each([
    ['MONTH', 5, 0, 'GROUP'],
    ['MONTH', 0, 5, 'TIER'],
    ['ALL_TIME', 5, 0, 'TIER'],
    ['ALL_TIME', 0, 5, 'GROUP'],
  ] as const)('one of sales by %s counts those: %i in all and %i this month is %s', (during, inAll, inMonth, source) =>
    expect(
      decidedBy([bySales(5, percent(30), during)], { ALL_TIME: figures(1e9, inAll), MONTH: figures(1e9, inMonth) }),
    ).toMatchObject({ source }),
  );

  it.each([
    [10_000, 'MONTH', 30],
    [1000, 'ALL_TIME', null],
  ] as const)('of several measures the one that earns most applies: a sale of %i by %s', (totalMinor, during, is) => {
    const tiers = [bySales(1, flat(1500)), bySales(1, percent(30), 'MONTH')];
    const reached = { ALL_TIME: figures(0, 1), MONTH: figures(0, 7) };
    expect(decidedBy(tiers, reached, totalMinor)).toMatchObject({ rate: is, tier: { period: during, measure: 'SALES' } });
  });

  it('the first in the list applies where two earn the same', () =>
    expect(
      decidedBy([bySales(1, percent(20), 'MONTH'), bySales(1, percent(20))], {
        ALL_TIME: figures(0, 1),
        MONTH: figures(0, 1),
      }),
    ).toMatchObject({ tier: { period: 'MONTH' } }));

  it('the sale keeps the figure that reached its minimum, however large', () =>
    expect(
      decidedBy([byRevenue(900, percent(20))], {
        ALL_TIME: { revenueMinor: 9_007_199_254_740_993n, sales: 1 },
        MONTH: figures(0, 0),
      })?.tier,
    ).toEqual({ period: 'ALL_TIME', measure: 'REVENUE', minimum: 900, reached: '9007199254740993' }));
});

describe('after the months of a group', () => {
  const on = (day: string, firstSaleDay: string | undefined, overrides: Partial<GroupTerms> = {}, own: number | null = null) =>
    commissionOf(
      sale({ day, productIds: ['a'] }),
      { commissionRate: own },
      group({ commissionMonths: 1, ...overrides }),
      history({ firstSaleDay, figures: { ALL_TIME: figures(9, 9), MONTH: figures(9, 9) } }),
    );

  it.each([
    ['2026-01-15', '2026-02-14', 1000],
    ['2026-01-15', '2026-02-15', 0],
    ['2026-01-31', '2026-02-27', 1000],
    ['2026-01-31', '2026-02-28', 0],
    ['2024-01-31', '2024-02-28', 1000],
    ['2024-01-31', '2024-02-29', 0],
    ['2026-12-05', '2027-01-04', 1000],
    ['2026-12-05', '2027-01-05', 0],
    [undefined, '2026-02-15', 1000],
    ['2026-03-01', '2026-02-15', 1000],
  ])('a customer since %s earns on %s: %i', (first, day, earned) =>
    expect(on(day, first).commissionMinor).toBe(earned),
  );

  it('there are as many as the group says, or no end', () => {
    expect(on('2027-01-14', '2026-01-15', { commissionMonths: 12 }).commissionMinor).toBe(1000);
    expect(on('2027-01-15', '2026-01-15', { commissionMonths: 12 }).commissionMinor).toBe(0);
    expect(on('2099-01-15', '2026-01-15', { commissionMonths: null }).commissionMinor).toBe(1000);
  });

  it.each([
    ['AFFILIATE', {}, 30, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
    ['PRODUCT', { productRules: [{ productIds: ['a'], ...flat(500) }] }, null, { type: 'FLAT', rate: null, amountMinor: 0 }],
    ['TIER', { tiers: [bySales(5, percent(40))] }, null, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
    ['GROUP', {}, null, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
    ['PROGRAM', { isDefault: true }, null, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
  ] as const)('a sale earns nothing, and keeps what would have applied: %s', (source, overrides, own, is) =>
    expect(on('2026-06-01', '2026-01-15', overrides, own)).toMatchObject({
      commissionMinor: 0,
      rule: { source, ...is, overSince: '2026-01-15' },
    }),
  );
});

describe('a flat amount', () => {
  it('is the whole amount of a sale without refunds, however small the sale', () => {
    fc.assert(fc.property(total, amount, (ofSale, flatMinor) => expect(earnedMinor(flat(flatMinor), ofSale, 0)).toBe(flatMinor)));
  });

  it('falls in proportion to what was refunded, half-up', () => {
    fc.assert(
      fc.property(total, amount, fc.double({ min: 0, max: 1, noNaN: true }), (ofSale, flatMinor, part) => {
        const refundedMinor = Math.floor(ofSale * part);
        const left = roundedHalfUp(BigInt(flatMinor) * BigInt(ofSale - refundedMinor), BigInt(ofSale));
        expect(BigInt(earnedMinor(flat(flatMinor), ofSale, refundedMinor))).toBe(left);
      }),
    );
  });

  it('is taken back exactly by refunds of any parts, and never more', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(parts, amount, (refunds, flatMinor) => {
        const ofSale = refunds.reduce((sum, part) => sum + part, 0);
        let refunded = 0;
        const taken = refunds.map((part) => {
          const before = earnedMinor(flat(flatMinor), ofSale, refunded);
          refunded += part;
          return before - earnedMinor(flat(flatMinor), ofSale, refunded);
        });
        expect(taken.every((one) => one >= 0)).toBe(true);
        expect(taken.reduce((sum, one) => sum + one, 0)).toBe(flatMinor);
      }),
    );
  });

  it.each([
    [1250, 'USD', 12.5],
    [1250, 'JPY', 1250],
    [1250, 'KWD', 1.25],
  ])('of %i minor units in %s is shown as %d', (amountMinor, currency, shown) =>
    expect(
      commissionRuleResponse(
        { ...flat(amountMinor), source: 'GROUP', groupId: 'group', tier: null, overSince: null },
        currency,
      ),
    ).toEqual({ source: 'GROUP', type: 'FLAT', rate: null, amount: shown, groupId: 'group' }),
  );
});
