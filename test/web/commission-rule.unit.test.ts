import { describe, expect, it } from 'vitest';
import type { StoredCommissionRule } from '../../shared/domain/commissions/rules.ts';
import { defaultGroupId, noGroups } from '../../shared/domain/groups/rules.ts';
import { withFormats } from '../../shared/web/components/formats.ts';
import { commissionTerms, groupNameOf, reasonEntries, shortReason } from '../../shared/web/pages/commission-rule.tsx';
import { ownRateOf } from '../../shared/web/pages/sale-fields.tsx';
import { makeStoredSale } from '../support/sales.ts';

const rule = (overrides: Partial<StoredCommissionRule>): StoredCommissionRule => ({
  source: 'GROUP',
  type: 'PERCENTAGE',
  rate: 10,
  amountMinor: null,
  groupId: 'group',
  tier: null,
  overSince: null,
  ...overrides,
});
const saleBy = (overrides: Partial<StoredCommissionRule>) =>
  makeStoredSale('affiliate', { commissionRule: rule(overrides) });
const english = <Result>(show: () => Result): Promise<Result> =>
  Promise.resolve(withFormats({ locale: 'en', timeZone: 'UTC' }, async () => show()));
const reason = async (overrides: Partial<StoredCommissionRule>) => {
  const program = { id: 'program', currency: 'USD' };
  const [first] = await english(() => reasonEntries(program, rule(overrides), 'Partners'));
  return first ?? [];
};

describe('the commission of a sale is shown', () => {
  it('as a rate, or as an amount for the sale', async () => {
    expect(commissionTerms(saleBy({ rate: 10 }), 'USD')).toBe('10 %');
    const flat = saleBy({ type: 'FLAT', rate: null, amountMinor: 500 });
    expect(await english(() => commissionTerms(flat, 'USD'))).toBe('$5.00 per sale');
  });

  it.each<[Partial<StoredCommissionRule>, string]>([
    [{ source: 'SALE' }, 'Set for this sale'],
    [{ source: 'AFFILIATE' }, 'The affiliate’s own rate'],
    [{ source: 'PRODUCT' }, 'The rule for the product'],
    [{ source: 'GROUP' }, 'The rate of the group'],
    [{ source: 'PROGRAM' }, 'The program’s rate'],
  ])('with the reason: %o', async (overrides, text) =>
    expect(await reason(overrides)).toEqual(['Why this commission', text, null]),
  );

  it('with the figure that reached a tier', async () => {
    const tier = { period: 'MONTH' as const, measure: 'REVENUE' as const, minimum: 50_000, reached: '61250' };
    expect((await reason({ source: 'TIER', tier }))[2]).toBe(
      'From $500.00 of revenue in that month; the affiliate had $612.50',
    );
    const bySales = { period: 'ALL_TIME' as const, measure: 'SALES' as const, minimum: 5, reached: '7' };
    expect((await reason({ source: 'TIER', tier: bySales }))[2]).toBe('From 5 sales so far; the affiliate had 7');
  });

  it('with the first sale of the customer where the months are over', async () => {
    expect((await reason({ rate: 0, overSince: '2025-01-15' }))[2]).toMatch(/first sale was on Jan 15, 2025/);
    expect(shortReason(saleBy({ overSince: '2025-01-15' }))).toBe('The months of the group are over');
  });

  it('without a reason where none was kept', () => {
    expect(shortReason(makeStoredSale('affiliate'))).toBe('Not kept');
    expect(shortReason(makeStoredSale('affiliate', { affiliateId: null }))).toBe('Nobody is credited');
  });
});

describe('the name of the group that decided', () => {
  it('is known of the default group that is not stored, and of no deleted group', () => {
    expect(groupNameOf('program', noGroups, defaultGroupId('program'))).toBe('Default');
    expect(groupNameOf('program', noGroups, 'gone')).toBeUndefined();
  });
});

describe('the form of a sale', () => {
  it('begins with the own rate of the sale, and of an older sale with its rate', () => {
    expect(ownRateOf(saleBy({ source: 'SALE', rate: 10 }))).toBe(10);
    expect(ownRateOf(saleBy({ source: 'AFFILIATE', rate: 10 }))).toBeNull();
    expect(ownRateOf(makeStoredSale('affiliate'))).toBe(10);
  });
});
