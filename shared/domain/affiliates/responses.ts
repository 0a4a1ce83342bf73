import type * as z from 'zod';
import type { Affiliate } from '../../contract/affiliates.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { groupsFor } from '../groups/membership.ts';
import { type GroupProgram, groupOf, type StoredGroups } from '../groups/rules.ts';
import { fullName, type StoredAffiliate } from './rules.ts';
import type { AffiliateWithTotals } from './totals.ts';

/** The links of an affiliate as the API shows them, oldest first. */
export const linksOf = ({ links }: Pick<StoredAffiliate, 'links'>) =>
  Object.entries(links)
    .map(([id, link]) => ({ id, ...link }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));

/** Amounts in the program's currency; the rate is what its group pays without a rule, unless it has its own. docs/behavior.md#affiliate-records */
export const affiliateResponse = (
  affiliate: AffiliateWithTotals,
  program: GroupProgram,
  groups: StoredGroups,
): z.input<typeof Affiliate> => {
  const group = groupOf(affiliate, groups, program);
  return {
    ...affiliate,
    programId: program.id,
    name: fullName(affiliate),
    commissionRate: affiliate.commissionRate ?? group.commissionRate ?? 0,
    groupId: group.id,
    affiliateLinks: linksOf(affiliate),
    totalRevenue: fromMinor(affiliate.totalRevenueMinor, program.currency),
    totalCommissionEarned: fromMinor(affiliate.totalCommissionEarnedMinor, program.currency),
    totalCommissionPaid: fromMinor(affiliate.totalCommissionPaidMinor, program.currency),
  };
};

/** Reads groups where an affiliate is in another one than the default group. */
export const affiliateResponses = async (
  affiliates: readonly AffiliateWithTotals[],
  program: GroupProgram,
): Promise<z.input<typeof Affiliate>[]> => {
  const groups = await groupsFor(program.id, affiliates);
  return affiliates.map((affiliate) => affiliateResponse(affiliate, program, groups));
};
