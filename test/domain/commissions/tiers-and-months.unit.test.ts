import { describe, expect, it } from 'vitest';
import {
  commissionOf,
  type GroupTerms,
  type History,
  percent,
  type Tier,
} from '../../../shared/domain/commissions/rules.ts';
import { byRevenue, bySales, figures, flat, group, history, nobodysRate, sale } from './terms.ts';

describe('of the tiers', () => {
  const decidedBy = (tiers: Tier[], of: History['figures'], totalEarnedMinor = 10_000) =>
    commissionOf(sale({ totalEarnedMinor }), nobodysRate, group({ tiers }), history({ figures: of })).rule;

  it.each([
    [99, 'GROUP', 10],
    [100, 'TIER', 15],
    [499, 'TIER', 15],
    [500, 'TIER', 12],
  ])(
    'the one with the highest minimum reached applies, at its minimum already: %i is %s of %i %%',
    (revenue, source, is) => {
      const tiers = [byRevenue(500, percent(12)), byRevenue(100, percent(15))];
      expect(decidedBy(tiers, { ALL_TIME: figures(revenue, 0), MONTH: figures(0, 0) })).toMatchObject({
        source,
        rate: is,
      });
    },
  );

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
    expect(decidedBy(tiers, reached, totalMinor)).toMatchObject({
      rate: is,
      tier: { period: during, measure: 'SALES' },
    });
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
  const on = (
    day: string,
    firstSaleDay: string | undefined,
    overrides: Partial<GroupTerms> = {},
    own: number | null = null,
  ) =>
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

  it.each<[string, Partial<GroupTerms>, number | null, object]>([
    ['AFFILIATE', {}, 30, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
    [
      'PRODUCT',
      { productRules: [{ productIds: ['a'], ...flat(500) }] },
      null,
      { type: 'FLAT', rate: null, amountMinor: 0 },
    ],
    ['TIER', { tiers: [bySales(5, percent(40))] }, null, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
    ['GROUP', {}, null, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
    ['PROGRAM', { isDefault: true }, null, { type: 'PERCENTAGE', rate: 0, amountMinor: null }],
  ])('a sale earns nothing, and keeps what would have applied: %s', (source, overrides, own, is) =>
    expect(on('2026-06-01', '2026-01-15', overrides, own)).toMatchObject({
      commissionMinor: 0,
      rule: { source, ...is, overSince: '2026-01-15' },
    }),
  );
});
