import type * as z from 'zod';
import type { Group as GroupResponse } from '../../contract/groups.ts';
import { fromMinor } from '../../platform/money/money.ts';
import type { Group } from './rules.ts';

const decimal = (amountMinor: number | null, currency: string): number | null =>
  amountMinor === null ? null : fromMinor(amountMinor, currency);

const earningResponse = <Rule extends { amountMinor: number | null }>(
  { amountMinor, ...rule }: Rule,
  currency: string,
) => ({ ...rule, amount: decimal(amountMinor, currency) });

/** Amounts in decimals of the program's currency. See docs/behavior.md#groups */
export const groupResponse = (group: Group, programId: string): z.input<typeof GroupResponse> & { version: number } => {
  const { currency } = group;
  return {
    ...group,
    programId,
    commissionAmount: decimal(group.commissionAmountMinor, currency),
    minimumPayout: decimal(group.minimumPayoutMinor, currency),
    productRules: group.productRules.map((rule) => earningResponse(rule, currency)),
    tiers: group.tiers.map(({ minimumRevenueMinor, ...tier }) => ({
      ...earningResponse(tier, currency),
      minimumRevenue: decimal(minimumRevenueMinor, currency),
    })),
  };
};
