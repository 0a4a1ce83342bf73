import { commissionTypeOf } from '../../contract/group-rules.ts';
import type { createGroup, updateGroup } from '../../contract/groups.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { positiveMinor } from '../../platform/money/money.ts';
import type { StoredGroup } from './rules.ts';

type ProductRules = BodyOf<typeof createGroup>['productRules'];
type Tiers = BodyOf<typeof createGroup>['tiers'];
type Sent = Pick<BodyOf<typeof updateGroup>, 'commissionAmount' | 'minimumPayout' | 'productRules' | 'tiers'>;

interface SentEarning {
  type?: 'PERCENTAGE' | 'FLAT' | null | undefined;
  rate?: number | null | undefined;
  amount?: number | null | undefined;
}

const optionalMinor = (path: string, amount: number | null | undefined, currency: string): number | null =>
  amount == null ? null : positiveMinor(path, amount, currency);

const storedEarning = ({ type, rate, amount }: SentEarning, path: string, currency: string) => ({
  type: commissionTypeOf({ type, rate, amount }),
  rate: rate ?? null,
  amountMinor: optionalMinor(`${path}.amount`, amount, currency),
});

const storedProductRules = (rules: ProductRules, currency: string): StoredGroup['productRules'] =>
  rules.map(({ productIds, ...earning }, at) => ({
    productIds,
    ...storedEarning(earning, `productRules.${at}`, currency),
  }));

const storedTiers = (tiers: Tiers, currency: string): StoredGroup['tiers'] =>
  tiers.map(({ minimumRevenue, minimumSales, period, ...earning }, at) => ({
    minimumRevenueMinor: optionalMinor(`tiers.${at}.minimumRevenue`, minimumRevenue, currency),
    minimumSales: minimumSales ?? null,
    period,
    ...storedEarning(earning, `tiers.${at}`, currency),
  }));

/** The sent amounts and rules as they are stored, in minor units; 400 where an amount is too large or rounds to 0. docs/behavior.md#groups */
export const storedAmounts = (
  { commissionAmount, minimumPayout, productRules, tiers }: Sent,
  currency: string,
): Partial<StoredGroup> => ({
  ...(commissionAmount !== undefined && {
    commissionAmountMinor: optionalMinor('commissionAmount', commissionAmount, currency),
  }),
  ...(minimumPayout !== undefined && { minimumPayoutMinor: optionalMinor('minimumPayout', minimumPayout, currency) }),
  ...(productRules && { productRules: storedProductRules(productRules, currency) }),
  ...(tiers && { tiers: storedTiers(tiers, currency) }),
});
