import { begin } from '../../platform/concurrency/begin.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import type { OnIdsFound } from '../../platform/table/pages.ts';
import { affiliates, affiliatesWithStatus } from './repository.ts';
import type { StoredAffiliate } from './rules.ts';
import { isExactSearch, searchAffiliates } from './search.ts';
import { type AffiliateWithTotals, readTotals, readTotalsOfPage, withTotals } from './totals.ts';

interface Filters {
  status?: string | undefined;
  search?: string | undefined;
}

export const findAffiliates = (
  programId: string,
  { status, search }: Filters,
  request: PageRequest,
  onFound?: OnIdsFound,
): Promise<Page<StoredAffiliate>> => {
  const keep = (affiliate: StoredAffiliate) => !status || affiliate.status === status;
  if (search) return searchAffiliates(programId, search, request, keep, onFound);
  return affiliates.page(programId, request, status ? affiliatesWithStatus(status) : undefined, keep, onFound);
};

/** Whether nearly all that is looked up is listed, so that nothing is lost by reading more of it at once. */
const isOneFilter = ({ status, search }: Filters, { createdAfter, createdBefore, updatedAfter }: PageRequest) => {
  if (updatedAfter) return false;
  return !search || (!status && !createdAfter && !createdBefore && isExactSearch(search));
};

/**
 * Totals are read beside the affiliates; without an index, those of the newest. Where a second filter leaves out some of what
 * the first one finds, totals are read of the rest alone, after it.
 */
export const listAffiliates = async (
  programId: string,
  filters: Filters,
  request: PageRequest,
): Promise<Page<AffiliateWithTotals>> => {
  const { status, search } = filters;
  const reading = status || search || request.isOldestFirst ? [] : [begin(readTotalsOfPage(programId, request))];
  const onFound = (ids: readonly string[]) => {
    reading.push(begin(readTotals(programId, ids)));
  };
  const found = await findAffiliates(programId, filters, request, isOneFilter(filters, request) ? onFound : undefined);
  const known = new Map((await Promise.all(reading)).flatMap((totals) => [...totals]));
  const withThem = await withTotals(programId, found.items, known);
  return new Page(
    found.entries.flatMap(({ position }, at) => {
      const item = withThem[at];
      return item ? [{ item, position }] : [];
    }),
    found.next,
  );
};
