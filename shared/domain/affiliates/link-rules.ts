import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { latinToAscii } from '../../platform/text/words.ts';

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

/** Other scripts need a table of 547 KB, so it is loaded for them only. */
const toAscii = async (words: string): Promise<string> =>
  /^[\p{ASCII}\p{Script=Latin}]*$/u.test(words) ? latinToAscii(words) : (await import('any-ascii')).default(words);

const slugOf = async (words: string): Promise<string> =>
  (await toAscii(words))
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);

export const slugForAffiliate = async (name: string, email: string): Promise<string> =>
  (await slugOf(name)) || (await slugOf(email.split('@')[0] ?? '')) || 'affiliate';

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
