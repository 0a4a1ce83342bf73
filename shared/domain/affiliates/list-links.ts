import type { listLinks as operation } from '../../contract/links.ts';
import type { QueryOf } from '../../contract/operation.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { links, linksOfAffiliate } from './link-repository.ts';
import type { StoredLink } from './link-rules.ts';
import { affiliateIdOfFilter } from './repository.ts';

export const listLinks = async (
  programId: string,
  query: Pick<QueryOf<typeof operation>, 'affiliateId' | 'affiliateEmail'>,
  request: PageRequest,
): Promise<Page<StoredLink>> => {
  const affiliateId = await affiliateIdOfFilter(programId, query);
  if (affiliateId === null) return new Page([], undefined);
  return links.page(programId, request, affiliateId ? linksOfAffiliate(affiliateId) : undefined);
};
