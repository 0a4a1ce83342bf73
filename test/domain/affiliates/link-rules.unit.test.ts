import { describe, expect, it } from 'vitest';
import { linkEntry, slugForAffiliate } from '../../../shared/domain/affiliates/link-rules.ts';
import { affiliateSummary, fullName } from '../../../shared/domain/affiliates/rules.ts';
import { slugCandidates } from '../../../shared/platform/text/slug.ts';
import { makeStoredAffiliate, makeStoredLink } from '../../support/stored-records.ts';

describe('the slug of an affiliate', () => {
  it.each([
    ['Amara Okafor', 'a@example.com', 'amara-okafor'],
    ["Seán  O'Brien", 'a@example.com', 'sean-obrien'],
    ['Zoë D’Arcy`s', 'a@example.com', 'zoe-darcys'],
    ['Иван Петров', 'a@example.com', 'ivan-petrov'],
    ['Zoë Иванова', 'a@example.com', 'zoe-ivanova'],
    ['Иванова Zoë', 'a@example.com', 'ivanova-zoe'],
    ['--Amara--', 'a@example.com', 'amara'],
    ['...', 'Amara.O+x@example.com', 'amara-o-x'],
    ['', '...@example.com', 'affiliate'],
    ['', '@', 'affiliate'],
    ['x'.repeat(81), 'a@example.com', 'x'.repeat(80)],
  ])('%s with the email %s is %s', async (name, email, slug) => expect(await slugForAffiliate(name, email)).toBe(slug));

  it('gets a number from 2 to 5 where it is taken, then random ones', () => {
    const numbers = [71, 93];
    const candidates = slugCandidates('amara', () => numbers.shift() ?? 0);
    expect(Array.from({ length: 7 }, () => candidates.next().value)).toEqual([
      'amara',
      'amara-2',
      'amara-3',
      'amara-4',
      'amara-5',
      'amara-71',
      'amara-93',
    ]);
  });
});

it.each([
  ['Amara', 'Okafor', 'Amara Okafor'],
  ['Amara', '', 'Amara'],
  ['', 'Okafor', 'Okafor'],
])('the full name of %s, %s is %s', (firstName, lastName, full) =>
  expect(fullName({ firstName, lastName })).toBe(full),
);

it('a summary says who an affiliate is, and a link’s entry what it is called and since when', () => {
  const { id, firstName, lastName, email, ...others } = makeStoredAffiliate();
  expect(affiliateSummary({ id, firstName, lastName, email, ...others })).toEqual({ id, firstName, lastName, email });
  const { link, createdAt, updatedAt, ...rest } = makeStoredLink();
  expect(linkEntry({ link, createdAt, updatedAt, ...rest })).toEqual({ link, createdAt, updatedAt });
});
