import * as z from 'zod';
import { type Affiliate, type AffiliateSummary, affiliateStatuses, paymentMethods } from '../../contract/affiliates.ts';
import { fromMinor } from '../../platform/money/money.ts';
import type { AffiliateWithTotals } from './totals.ts';

/** So many that one page holds the links of an affiliate, and one transaction could write them. */
export const mostLinks = 100;

export const StoredAffiliate = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  status: z.enum(affiliateStatuses),
  /** Percent; null where the program's applies. */
  commissionRate: z.number().nullable(),
  payoutEmail: z.string().nullable(),
  paymentMethod: z.enum(paymentMethods).nullable(),
  externalId: z.string().nullable(),
  source: z.enum(['API', 'PORTAL', 'IMPORTED']),
  /** The affiliate's links by id, written together with the links themselves. */
  links: z.record(z.string(), z.object({ link: z.string(), createdAt: z.string(), updatedAt: z.string() })),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type StoredAffiliate = z.infer<typeof StoredAffiliate>;

/** First and last name with a space, or the first name alone. */
export const fullName = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim();

/** The REST record of an affiliate. Decisions, "/affiliates". */
export const affiliateAnswer = (
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

/** What other records show of an affiliate. */
export const affiliateSummary = ({
  id,
  firstName,
  lastName,
  email,
}: StoredAffiliate): z.input<typeof AffiliateSummary> => ({ id, firstName, lastName, email });
