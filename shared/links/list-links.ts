import { affiliates } from '../affiliates/repository.ts';
import type { listLinks as operation } from '../contract/links.ts';
import type { QueryOf } from '../contract/operation.ts';
import { Page, type PageRequest } from '../table/page.ts';
import { links, linksOfAffiliate } from './repository.ts';
import type { StoredLink } from './rules.ts';

/** A page of links, of one affiliate or of all. */
export const listLinks = async (
  programId: string,
  { affiliateId, affiliateEmail }: QueryOf<typeof operation>,
  request: PageRequest,
): Promise<Page<StoredLink>> => {
  const named = affiliateEmail ? await affiliates.find(programId, 'EMAIL', affiliateEmail) : undefined;
  // Nobody with that email, or somebody else than affiliateId says: nothing can match.
  if (affiliateEmail && (!named || (affiliateId && affiliateId !== named.id))) return new Page([], undefined);
  const affiliate = affiliateId ?? named?.id;
  return links.page(programId, request, affiliate ? linksOfAffiliate(affiliate) : undefined);
};
