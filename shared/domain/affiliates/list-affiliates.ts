import { begin } from '../../platform/concurrency/begin.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { affiliates, affiliatesWithStatus } from './repository.ts';
import type { StoredAffiliate } from './rules.ts';
import { searchAffiliates } from './search.ts';
import { type AffiliateWithTotals, readTotals, readTotalsOfPage, withTotals } from './totals.ts';

/** Totals are read beside the affiliates; without an index, those of the newest. */
export const listAffiliates = async (
  programId: string,
  { status, search }: { status?: string | undefined; search?: string | undefined },
  request: PageRequest,
): Promise<Page<AffiliateWithTotals>> => {
  const reading = status || search || request.isOldestFirst ? [] : [begin(readTotalsOfPage(programId, request))];
  const onFound = (ids: readonly string[]) => {
    reading.push(begin(readTotals(programId, ids)));
  };
  const keep = (affiliate: StoredAffiliate) => !status || affiliate.status === status;
  const index = status && !search ? affiliatesWithStatus(status) : undefined;
  const found = search
    ? await searchAffiliates(programId, search, request, keep, onFound)
    : await affiliates.page(programId, request, index, keep, onFound);
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
