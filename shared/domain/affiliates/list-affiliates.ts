import { begin } from '../../platform/concurrency/begin.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import type { OnIdsFound } from '../../platform/table/pages.ts';
import { storedGroupId } from '../groups/membership.ts';
import { affiliates, affiliatesInGroup, affiliatesWithStatus } from './repository.ts';
import type { StoredAffiliate } from './rules.ts';
import { isExactSearch, searchAffiliates } from './search.ts';
import { type AffiliateWithTotals, readTotals, readTotalsOfPage, withTotals } from './totals.ts';

interface Filters {
  status?: string | undefined;
  groupId?: string | undefined;
  search?: string | undefined;
}

/** Undefined if all affiliates are looked through: for the default group too, which has no index. */
const indexOf = ({ status, groupId }: Filters, inGroup: string | null | undefined) => {
  if (groupId && inGroup) return affiliatesInGroup(inGroup);
  return status ? affiliatesWithStatus(status) : undefined;
};

/** Whether an affiliate has the status and the group of some filters. */
export const keptBy = (programId: string, { status, groupId }: Omit<Filters, 'search'>) => {
  const inGroup = groupId === undefined ? undefined : storedGroupId(programId, groupId);
  return (affiliate: StoredAffiliate): boolean =>
    (!status || affiliate.status === status) && (inGroup === undefined || affiliate.groupId === inGroup);
};

/** Of a group that was deleted moments ago, some are found in it until they have moved. */
export const findAffiliates = (
  programId: string,
  filters: Filters,
  request: PageRequest,
  onFound?: OnIdsFound,
): Promise<Page<StoredAffiliate>> => {
  const { search, groupId } = filters;
  const inGroup = groupId === undefined ? undefined : storedGroupId(programId, groupId);
  const keep = keptBy(programId, filters);
  if (search) return searchAffiliates(programId, search, request, keep, onFound);
  return affiliates.page(programId, request, indexOf(filters, inGroup), keep, onFound);
};

/** Whether nearly all that is looked up is listed, so that nothing is lost by reading more of it at once. */
const isOneFilter = (
  { status, search, groupId }: Filters,
  { createdAfter, createdBefore, updatedAfter }: PageRequest,
) => {
  if (updatedAfter || (groupId && status)) return false;
  return !search || (!status && !groupId && !createdAfter && !createdBefore && isExactSearch(search));
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
  const { status, search, groupId } = filters;
  const reading =
    status || search || groupId || request.isOldestFirst ? [] : [begin(readTotalsOfPage(programId, request))];
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
