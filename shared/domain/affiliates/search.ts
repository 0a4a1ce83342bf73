import type { Page, PageRequest } from '../../platform/table/page.ts';
import type { OnIdsFound } from '../../platform/table/pages.ts';
import { type Searched, searchRecords } from '../../platform/table/search.ts';
import { wordsOf } from '../../platform/text/words.ts';
import { affiliates } from './repository.ts';
import { fullName, type StoredAffiliate } from './rules.ts';

export const searchedIn = (affiliate: StoredAffiliate): Searched => ({
  name: fullName(affiliate),
  email: affiliate.email,
});

/** Whether the entries of its first word are all that it finds. */
export const isExactSearch = (text: string): boolean => wordsOf(text).length === 1;

/** By the beginnings of words of name and email. docs/behavior.md#search */
export const searchAffiliates = (
  programId: string,
  text: string,
  request: PageRequest,
  keep: (affiliate: StoredAffiliate) => boolean,
  onFound?: OnIdsFound,
): Promise<Page<StoredAffiliate>> =>
  searchRecords(affiliates, programId, { text, searched: searchedIn, keep, onFound }, request);
