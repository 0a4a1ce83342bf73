// Commissions by other code than the product's: whole numbers alone, and dates by the calendar of UTC.

export type Rule = { kind: 'RATE'; thousandths: bigint } | { kind: 'AMOUNT'; minor: bigint };
type Period = 'ALL_TIME' | 'MONTH';

export interface ModelTier {
  of: 'revenue' | 'sales';
  period: Period;
  minimum: bigint;
  rule: Rule;
}

export interface ModelGroup {
  id: string;
  isDefault: boolean;
  base: Rule;
  months: number | null;
  products: Map<string, Rule>;
  tiers: ModelTier[];
  holdDays: number;
}

export interface ModelAffiliate {
  id: string;
  company: string;
  isPaidInCoupons: boolean;
  group: ModelGroup;
  own: Rule | null;
}

export interface ModelSale {
  id: number;
  affiliate: ModelAffiliate;
  payableAt: number;
  review: 'HELD' | 'APPROVED' | 'REJECTED' | null;
  /** The payout batch that it is in, paid or not. */
  batch: string | null;
  day: string;
  product: string | null;
  customer: string | null;
  total: bigint;
  refunded: bigint;
  source: string;
  rule: Rule;
}

export type Counted = Record<Period, { revenue: bigint; sales: bigint }>;

const halfUp = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);

/** What a sale is worth to its affiliate after its refunds. */
const worthOf = ({ rule, total, refunded }: Pick<ModelSale, 'rule' | 'total' | 'refunded'>): bigint =>
  rule.kind === 'RATE'
    ? halfUp((total - refunded) * rule.thousandths, 100_000n)
    : halfUp((total - refunded) * rule.minor, total);

/** What the affiliate gets for it. */
export const earnedOf = (sale: ModelSale): bigint => (sale.review === 'REJECTED' ? 0n : worthOf(sale));

/** What a batch takes, of sales that have earned something. `earned` is what the sale has without its adjustments. */
export const isDue = (sale: ModelSale, earned: bigint, until: number): boolean =>
  sale.batch === null &&
  sale.review !== 'HELD' &&
  sale.payableAt <= until &&
  ((sale.review !== 'REJECTED' && sale.refunded < sale.total) || earned > 0n);

/** The day on which so many months are over: the last of a shorter month. */
const monthsAfter = (day: string, months: number): string => {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth))).toISOString().slice(0, 10);
};

const nothingOf = (rule: Rule): Rule =>
  rule.kind === 'RATE' ? { kind: 'RATE', thousandths: 0n } : { kind: 'AMOUNT', minor: 0n };

const tierOf = (tiers: readonly ModelTier[], counted: Counted, total: bigint): Rule | undefined => {
  let best: { rule: Rule; worth: bigint } | undefined;
  for (const candidate of tiers) {
    if (counted[candidate.period][candidate.of] < candidate.minimum) continue;
    const higher = tiers.some(
      (other) =>
        other.of === candidate.of &&
        other.period === candidate.period &&
        other.minimum > candidate.minimum &&
        counted[other.period][other.of] >= other.minimum,
    );
    if (higher) continue;
    const worth = worthOf({ rule: candidate.rule, total, refunded: 0n });
    if (!best || worth > best.worth) best = { rule: candidate.rule, worth };
  }
  return best?.rule;
};

/** The first of the sale's own, the affiliate's, the product's, a tier, and the base of the group. */
export const decide = (
  sale: Pick<ModelSale, 'affiliate' | 'day' | 'product' | 'total'>,
  own: Rule | null,
  firstDay: string | undefined,
  counted: Counted,
): { source: string; rule: Rule } => {
  if (own) return { source: 'SALE', rule: own };
  const { group, own: ofAffiliate } = sale.affiliate;
  const ofProduct = sale.product === null ? undefined : group.products.get(sale.product);
  const ofTier = tierOf(group.tiers, counted, sale.total);
  const [source, rule]: [string, Rule] = ofAffiliate
    ? ['AFFILIATE', ofAffiliate]
    : ofProduct
      ? ['PRODUCT', ofProduct]
      : ofTier
        ? ['TIER', ofTier]
        : [group.isDefault ? 'PROGRAM' : 'GROUP', group.base];
  const isOver = group.months !== null && firstDay !== undefined && sale.day >= monthsAfter(firstDay, group.months);
  return { source, rule: isOver ? nothingOf(rule) : rule };
};

/** What the totals worker has counted of an affiliate when it saw these sales. */
export const countedOf = (sales: Iterable<ModelSale>, affiliate: ModelAffiliate, month: string): Counted => {
  const counted: Counted = { ALL_TIME: { revenue: 0n, sales: 0n }, MONTH: { revenue: 0n, sales: 0n } };
  for (const sale of sales) {
    if (sale.affiliate !== affiliate) continue;
    const periods: Period[] = sale.day.startsWith(month) ? ['ALL_TIME', 'MONTH'] : ['ALL_TIME'];
    for (const period of periods) {
      counted[period].revenue += sale.total - sale.refunded;
      counted[period].sales += 1n;
    }
  }
  return counted;
};
