import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkSlug } from '../../shared/contract/fields.ts';
import { slugForAffiliate } from '../../shared/domain/affiliates/link-rules.ts';
import { slugCandidates } from '../../shared/platform/text/slug.ts';

describe('the slug of a new affiliate', () => {
  it.each([
    ['Zoë Lindqvist', 'z@example.com', 'zoe-lindqvist'],
    ["Siobhán O'Brien", 's@example.com', 'siobhan-obrien'],
    ['José García Márquez', 'j@example.com', 'jose-garcia-marquez'],
    ['Иван Петров', 'i@example.com', 'ivan-petrov'],
    ['Zoe\u0308 山田', 'y@example.com', 'zoe-shantian'],
    ['Łukasz', 'l@example.com', 'lukasz'],
    ['  Anna -- Maria ', 'a@example.com', 'anna-maria'],
    ['!!!', 'amara.okafor@example.com', 'amara-okafor'],
    ['!!!', '...@example.com', 'affiliate'],
  ])('of %s (%s) is %s', async (name, email, slug) => expect(await slugForAffiliate(name, email)).toBe(slug));

  it('is one that a link may have, with any number added, whatever the name is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (name) => {
        const candidates = slugCandidates(await slugForAffiliate(name, 'a@example.com'), () => 999_999);
        for (let attempt = 0; attempt < 7; attempt++)
          expect(linkSlug.safeParse(candidates.next().value).success).toBe(true);
      }),
    );
  });

  it('gets small numbers first, then random ones', () => {
    const candidates = slugCandidates('amara', () => 4711);
    const tried = Array.from({ length: 7 }, () => candidates.next().value);
    expect(tried).toEqual(['amara', 'amara-2', 'amara-3', 'amara-4', 'amara-5', 'amara-4711', 'amara-4711']);
  });
});
