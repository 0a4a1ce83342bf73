import * as z from 'zod';
import { amount, commissionRate, orDefault, text } from './fields.ts';

/** How a commission is reckoned, and the rules by which a group reckons another one. docs/behavior.md#groups */

export const commissionTypes = ['PERCENTAGE', 'FLAT'] as const;
export const tierPeriods = ['ALL_TIME', 'MONTH'] as const;

export const maxProductRules = 50;
export const maxTiers = 10;
export const maxHoldDays = 90;
const maxProductsOfRule = 100;

interface Earning {
  type?: (typeof commissionTypes)[number] | null | undefined;
  rate?: number | null | undefined;
  amount?: number | null | undefined;
}

/** Without a type, an amount alone makes a commission flat. */
export const commissionTypeOf = ({ type, rate, amount }: Earning): (typeof commissionTypes)[number] =>
  type ?? (amount != null && rate == null ? 'FLAT' : 'PERCENTAGE');

/** What contradicts the type, as field and predicate; `names` are the fields of rate and amount. docs/behavior.md#groups */
export const earningContradictions = (
  earning: Earning,
  names: { rate: string; amount: string } = { rate: 'rate', amount: 'amount' },
): [field: string, message: string][] => {
  const isFlat = commissionTypeOf(earning) === 'FLAT';
  const [needed, excess, type] = isFlat
    ? (['amount', 'rate', 'FLAT'] as const)
    : (['rate', 'amount', 'PERCENTAGE'] as const);
  const found: [string, string][] = [];
  if (earning[needed] == null) found.push([names[needed], `is required for a ${type} commission`]);
  if (earning[excess] != null) found.push([names[excess], `does not belong to a ${type} commission`]);
  return found;
};

const sentEarning = {
  type: z.enum(commissionTypes).nullish(),
  rate: commissionRate.nullish(),
  amount: amount.nullish(),
};

const refuseContradictions = (earning: Earning, context: z.RefinementCtx): void => {
  for (const [field, message] of earningContradictions(earning))
    context.addIssue({ code: 'custom', path: [field], message });
};

const SentProductRule = z
  .strictObject({ productIds: z.array(text(100)).min(1).max(maxProductsOfRule), ...sentEarning })
  .superRefine(refuseContradictions)
  .meta({ id: 'SentProductRule' });

const SentTier = z
  .strictObject({
    minimumRevenue: amount.nullish(),
    minimumSales: z.int().min(1).nullish(),
    period: orDefault(z.enum(tierPeriods), 'ALL_TIME'),
    ...sentEarning,
  })
  .superRefine((tier, context) => {
    refuseContradictions(tier, context);
    const both = tier.minimumRevenue != null && tier.minimumSales != null;
    if (both) context.addIssue({ code: 'custom', path: ['minimumSales'], message: 'excludes minimumRevenue' });
    if (tier.minimumRevenue == null && tier.minimumSales == null)
      context.addIssue({ code: 'custom', path: ['minimumRevenue'], message: 'or minimumSales is required' });
  })
  .meta({ id: 'SentTier' });

export const sentProductRules = z
  .array(SentProductRule)
  .max(maxProductRules)
  .superRefine((rules, context) => {
    const known = new Set<string>();
    for (const [at, { productIds }] of rules.entries())
      for (const [place, productId] of productIds.entries()) {
        if (known.has(productId))
          context.addIssue({
            code: 'custom',
            path: [at, 'productIds', place],
            message: `is in another entry: ${productId}`,
          });
        known.add(productId);
      }
  });

export const sentTiers = z
  .array(SentTier)
  .max(maxTiers)
  .superRefine((tiers, context) => {
    const known = new Set<string>();
    for (const [at, { minimumRevenue, minimumSales, period }] of tiers.entries()) {
      const minimum = minimumSales == null ? 'minimumRevenue' : 'minimumSales';
      const begin = [minimum, minimumSales ?? minimumRevenue, period].join(' ');
      if (known.has(begin))
        context.addIssue({ code: 'custom', path: [at, minimum], message: 'is the minimum of another tier' });
      known.add(begin);
    }
  });

const returnedEarning = {
  type: z.enum(commissionTypes),
  rate: z.number().nullable(),
  amount: z.number().nullable(),
};

export const ProductRule = z
  .object({ productIds: z.array(z.string()), ...returnedEarning })
  .meta({ id: 'ProductRule' });

export const Tier = z
  .object({
    minimumRevenue: z.number().nullable(),
    minimumSales: z.int().nullable(),
    period: z.enum(tierPeriods),
    ...returnedEarning,
  })
  .meta({ id: 'Tier' });
