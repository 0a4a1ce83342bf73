import anyAscii from 'any-ascii';
import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { storedFields } from '../../platform/table/keys.ts';

export const StoredLink = z.object({
  ...storedFields,
  link: z.string(),
  affiliateId: z.string(),
  clicks: z.number(),
  referrals: z.number(),
  sales: z.number(),
  totalRevenueMinor: MinorSum,
});
export type StoredLink = z.infer<typeof StoredLink>;

const slugOf = (words: string): string =>
  anyAscii(words)
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80);

export const slugForAffiliate = (name: string, email: string): string =>
  slugOf(name) || slugOf(email.split('@')[0] ?? '') || 'affiliate';

export const unusedLink = { clicks: 0, referrals: 0, sales: 0, totalRevenueMinor: 0 };

/** Candidates until one is free: first with small numbers, then with random ones. */
export const slugCandidates = function* (base: string, randomNumber: () => number): Generator<string> {
  yield base;
  for (let number = 2; number <= 5; number++) yield `${base}-${number}`;
  for (;;) yield `${base}-${randomNumber()}`;
};

export const fullUrl = (baseUrl: string, slug: string): string => {
  const url = new URL(baseUrl);
  url.searchParams.set('ref', slug);
  return url.href;
};

export const linkEntry = ({ link, createdAt, updatedAt }: StoredLink) => ({ link, createdAt, updatedAt });
