import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { slugOf } from '../../platform/text/slug.ts';

export const StoredLink = z.object({
  ...storedFields,
  link: z.string(),
  affiliateId: z.string(),
  /** Where the link leads; the program's first base URL without one, as for links of earlier versions. */
  destinationUrl: z.string().nullable().default(null),
  clicks: z.number(),
  referrals: z.number(),
  sales: z.number(),
  totalRevenueMinor: MinorSum,
});
export type StoredLink = z.infer<typeof StoredLink>;

export const slugForAffiliate = async (name: string, email: string): Promise<string> =>
  (await slugOf(name)) || (await slugOf(email.split('@')[0] ?? '')) || 'affiliate';

export const unusedLink = { destinationUrl: null, clicks: 0, referrals: 0, sales: 0, totalRevenueMinor: 0 };

export const fullUrl = (baseUrl: string, slug: string): string => {
  const url = new URL(baseUrl);
  url.searchParams.set('ref', slug);
  return url.href;
};

export const linkEntry = ({ link, createdAt, updatedAt }: StoredLink) => ({ link, createdAt, updatedAt });
