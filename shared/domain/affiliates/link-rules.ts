import anyAscii from 'any-ascii';
import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';

export const StoredLink = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
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

/** The slug that a new affiliate's link begins with: from the name, else from the part of the email before the at-sign. */
export const slugForAffiliate = (name: string, email: string): string =>
  slugOf(name) || slugOf(email.split('@')[0] ?? '') || 'affiliate';

/** A link that nobody has used yet. */
export const unusedLink = { clicks: 0, referrals: 0, sales: 0, totalRevenueMinor: 0 };

/** The slugs to try, one after the other, until one is free: with a small number first, then with a random one. */
export const slugCandidates = function* (base: string, randomNumber: () => number): Generator<string> {
  yield base;
  for (let number = 2; number <= 5; number++) yield `${base}-${number}`;
  for (;;) yield `${base}-${randomNumber()}`;
};

/** The address of a link on one of the program's sites: the base URL as it is, with the slug as `ref`. */
export const fullUrl = (baseUrl: string, slug: string): string => {
  const url = new URL(baseUrl);
  url.searchParams.set('ref', slug);
  return url.href;
};

/** What an affiliate keeps of one of its links. */
export const linkEntry = ({ link, createdAt, updatedAt }: StoredLink) => ({ link, createdAt, updatedAt });
