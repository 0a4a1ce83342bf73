import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commissionOf, percent, type Terms } from '../../../shared/domain/commissions/rules.ts';
import { byRevenue, bySales, figures, flat, group, history, nobodysRate, roundedHalfUp, sale } from './terms.ts';

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
const anyHistory = fc.record({ ALL_TIME: someFigures, MONTH: someFigures }).map((of) => history({ figures: of }));
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
