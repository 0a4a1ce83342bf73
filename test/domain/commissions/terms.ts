import type { GroupTerms, History, SaleToEarn, Terms, Tier } from '../../../shared/domain/commissions/rules.ts';

// What tests of commissions begin with: a sale of 100.00 in a group that pays 10 %.

export const flat = (amountMinor: number): Terms => ({ type: 'FLAT', rate: null, amountMinor });
export const group = (overrides: Partial<GroupTerms> = {}): GroupTerms => ({
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
export const figures = (revenueMinor: number, sales: number) => ({ revenueMinor: BigInt(revenueMinor), sales });
export const history = (overrides: Partial<History> = {}): History => ({
  firstSaleDay: undefined,
  figures: { ALL_TIME: figures(0, 0), MONTH: figures(0, 0) },
  ...overrides,
});
export const sale = (overrides: Partial<SaleToEarn> = {}): SaleToEarn => ({
  totalEarnedMinor: 10_000,
  day: '2026-03-15',
  productIds: [],
  commissionRate: null,
  ...overrides,
});
export const byRevenue = (minimumRevenueMinor: number, terms: Terms, period: Tier['period'] = 'ALL_TIME'): Tier => ({
  minimumRevenueMinor,
  minimumSales: null,
  period,
  ...terms,
});
export const bySales = (minimumSales: number, terms: Terms, period: Tier['period'] = 'ALL_TIME'): Tier => ({
  minimumRevenueMinor: null,
  minimumSales,
  period,
  ...terms,
});
export const nobodysRate = { commissionRate: null };

/** The quotient of whole numbers, neither of them negative, rounded half-up. */
export const roundedHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);
