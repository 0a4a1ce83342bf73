import * as z from 'zod';
import { type AffiliateSummary, affiliateStatuses, paymentMethods } from '../../contract/affiliates.ts';

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

/** What other records show of an affiliate. */
export const affiliateSummary = ({
  id,
  firstName,
  lastName,
  email,
}: StoredAffiliate): z.input<typeof AffiliateSummary> => ({ id, firstName, lastName, email });
