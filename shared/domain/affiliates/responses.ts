import type * as z from 'zod';
import type { Affiliate } from '../../contract/affiliates.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { fullName } from './rules.ts';
import type { AffiliateWithTotals } from './totals.ts';

/** See docs/behavior.md#affiliate-records */
export const affiliateResponse = (
  affiliate: AffiliateWithTotals,
  program: { id: string; currency: string; commissionRate: number },
): z.input<typeof Affiliate> => ({
  ...affiliate,
  programId: program.id,
  name: fullName(affiliate),
  commissionRate: affiliate.commissionRate ?? program.commissionRate,
  affiliateLinks: Object.entries(affiliate.links)
    .map(([id, link]) => ({ id, ...link }))
    .sort((one, other) => (one.id < other.id ? -1 : 1)),
  totalRevenue: fromMinor(affiliate.totalRevenueMinor, program.currency),
  totalCommissionEarned: fromMinor(affiliate.totalCommissionEarnedMinor, program.currency),
  totalCommissionPaid: fromMinor(affiliate.totalCommissionPaidMinor, program.currency),
});
