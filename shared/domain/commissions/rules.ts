import Big from 'big.js';
import * as z from 'zod';
import { type CommissionRule, commissionRuleSources } from '../../contract/commission-rule.ts';
import { commissionTypes, tierPeriods } from '../../contract/group-rules.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { addMonths } from '../../platform/time/days.ts';
import type { Group } from '../groups/rules.ts';

/** See docs/behavior.md#which-commission-applies */

const StoredTerms = z.object({
  type: z.enum(commissionTypes),
  /** Percent; null with FLAT. */
  rate: z.number().nullable(),
  amountMinor: z.number().nullable(),
});
export type Terms = z.infer<typeof StoredTerms>;

/** How a sale’s commission was decided, as the sale stores it. */
export const StoredCommissionRule = StoredTerms.extend({
  source: z.enum(commissionRuleSources),
  groupId: z.string(),
  /** The tier that applied, and the affiliate's figure that had reached its minimum. */
  tier: z
    .object({
      period: z.enum(tierPeriods),
      measure: z.enum(['REVENUE', 'SALES']),
      minimum: z.number(),
      /** Text, because a sum of revenue may exceed a safe integer. */
      reached: z.string(),
    })
    .nullable(),
  /** The day of the customer's first sale, where that is why the sale earns nothing. */
  overSince: z.string().nullable(),
});
export type StoredCommissionRule = z.infer<typeof StoredCommissionRule>;

export type Tier = Group['tiers'][number];

export type GroupTerms = Pick<
  Group,
  | 'id'
  | 'isDefault'
  | 'commissionType'
  | 'commissionRate'
  | 'commissionAmountMinor'
  | 'commissionMonths'
  | 'productRules'
  | 'tiers'
>;

export interface SaleToEarn {
  totalEarnedMinor: number;
  /** In the program's time zone. */
  day: string;
  productIds: readonly string[];
  /** The sale's own, in percent. */
  commissionRate: number | null;
}

/** What an affiliate had sold before. */
export interface Figures {
  revenueMinor: bigint;
  sales: number;
}

export interface History {
  /** Of the customer, in the program's time zone; undefined where this sale is the first. */
  firstSaleDay: string | undefined;
  figures: Readonly<Record<Tier['period'], Figures>>;
}

const halfUp = (amount: Big): number => amount.round(0, Big.roundHalfUp).toNumber();

/** In minor units; the rate is in percent. docs/behavior.md#commission */
export const commissionMinor = (totalMinor: number, refundedMinor: number, ratePercent: number): number =>
  halfUp(new Big(totalMinor).minus(refundedMinor).times(ratePercent).div(100));

/** The commission of a sale above 0, in minor units. Refunds reduce a flat amount in proportion. */
export const earnedMinor = ({ rate, amountMinor }: Terms, totalMinor: number, refundedMinor: number): number =>
  amountMinor === null
    ? commissionMinor(totalMinor, refundedMinor, rate ?? 0)
    : halfUp(new Big(totalMinor).minus(refundedMinor).times(amountMinor).div(totalMinor));

export const percent = (rate: number): Terms => ({ type: 'PERCENTAGE', rate, amountMinor: null });

const measured = ({ minimumRevenueMinor, minimumSales, period }: Tier, figures: History['figures']) =>
  minimumRevenueMinor === null
    ? ({ period, measure: 'SALES', minimum: minimumSales ?? 0, reached: BigInt(figures[period].sales) } as const)
    : ({ period, measure: 'REVENUE', minimum: minimumRevenueMinor, reached: figures[period].revenueMinor } as const);

/** The highest minimum reached, for each period and measure; of those, the tier that earns most. */
const reachedTier = (tiers: readonly Tier[], figures: History['figures'], totalMinor: number) => {
  const reached = tiers
    .map((terms) => ({ terms, ...measured(terms, figures) }))
    .filter((one) => one.reached >= BigInt(one.minimum));
  const highest = [...Map.groupBy(reached, ({ period, measure }) => `${period} ${measure}`).values()].flatMap(
    (ofMeasure) => ofMeasure.toSorted((one, other) => other.minimum - one.minimum).slice(0, 1),
  );
  const earned = ({ terms }: { terms: Terms }) => earnedMinor(terms, totalMinor, 0);
  return highest.toSorted((one, other) => earned(other) - earned(one))[0];
};

const termsOnly = ({ type, rate, amountMinor }: Terms): Terms => ({ type, rate, amountMinor });

type Decided = Pick<StoredCommissionRule, 'source' | 'tier'> & Terms;

/** In order of precedence: affiliate, product, tier, then group or program. */
const termsBesideOwn = (
  sale: SaleToEarn,
  affiliate: { commissionRate: number | null },
  group: GroupTerms,
  { figures }: History,
): Decided => {
  if (affiliate.commissionRate !== null)
    return { source: 'AFFILIATE', ...percent(affiliate.commissionRate), tier: null };
  const ofProduct = group.productRules.find(({ productIds }) => sale.productIds.some((id) => productIds.includes(id)));
  if (ofProduct) return { source: 'PRODUCT', ...termsOnly(ofProduct), tier: null };
  const ofTier = reachedTier(group.tiers, figures, sale.totalEarnedMinor);
  if (ofTier) {
    const { terms, period, measure, minimum, reached } = ofTier;
    return { source: 'TIER', ...termsOnly(terms), tier: { period, measure, minimum, reached: String(reached) } };
  }
  const { commissionType: type, commissionRate: rate, commissionAmountMinor: amountMinor } = group;
  return { source: group.isDefault ? 'PROGRAM' : 'GROUP', type, rate, amountMinor, tier: null };
};

/** Whether the months of the group have passed since the customer's first sale. */
const isOver = (day: string, months: number | null, firstSaleDay: string | undefined): boolean =>
  months !== null && firstSaleDay !== undefined && day >= addMonths(firstSaleDay, months);

/** What a sale earns its affiliate, and why. Without an affiliate there is no rule. docs/behavior.md#which-commission-applies */
export const commissionOf = (
  sale: SaleToEarn,
  affiliate: { commissionRate: number | null } | undefined,
  group: GroupTerms,
  history: History,
): { commissionMinor: number; rule: StoredCommissionRule | null } => {
  if (!affiliate) return { commissionMinor: 0, rule: null };
  const earned = (decided: Decided, overSince: string | null) => ({
    commissionMinor: earnedMinor(decided, sale.totalEarnedMinor, 0),
    rule: { ...decided, groupId: group.id, overSince },
  });
  if (sale.commissionRate !== null)
    return earned({ source: 'SALE', ...percent(sale.commissionRate), tier: null }, null);
  const decided = termsBesideOwn(sale, affiliate, group, history);
  const { firstSaleDay = null } = history;
  if (!isOver(sale.day, group.commissionMonths, history.firstSaleDay)) return earned(decided, null);
  const { rate, amountMinor } = decided;
  const nothing = { rate: rate === null ? null : 0, amountMinor: amountMinor === null ? null : 0 };
  return earned({ ...decided, ...nothing }, firstSaleDay);
};

export const commissionRuleResponse = (
  rule: StoredCommissionRule | null,
  currency: string,
): z.input<typeof CommissionRule> | null =>
  rule && {
    source: rule.source,
    type: rule.type,
    rate: rule.rate,
    amount: rule.amountMinor === null ? null : fromMinor(rule.amountMinor, currency),
    groupId: rule.groupId,
  };
