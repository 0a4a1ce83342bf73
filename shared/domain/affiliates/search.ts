import { Page, type PageRequest } from '../../platform/table/page.ts';
import { affiliates } from './repository.ts';
import { fullName, type StoredAffiliate } from './rules.ts';

const ranges = ['NAME', 'EMAIL'] as const;
const maxExamined = 1000;
/** Larger than the page: later reads look for few among many. */
const furtherChunk = 100;

/** By prefix of the name, then of the email, as two key ranges: a search reads only what it finds. */
export const searchAffiliates = async (
  programId: string,
  text: string,
  request: PageRequest,
  keep: (affiliate: StoredAffiliate) => boolean,
): Promise<Page<StoredAffiliate>> => {
  const prefix = text.toLowerCase();
  const { limit, createdAfter = '', createdBefore = '9', updatedAfter = '' } = request;
  const fits = (affiliate: StoredAffiliate) =>
    keep(affiliate) &&
    affiliate.createdAt >= createdAfter &&
    affiliate.createdAt < createdBefore &&
    affiliate.updatedAt > updatedAfter;
  const [startRange, ...startRest] = (request.after ?? 'NAME ').split(' ');
  let after = startRest.join(' ');
  let examined = 0;
  const found: { item: StoredAffiliate; position: string }[] = [];
  for (const range of ranges.slice(startRange === 'EMAIL' ? 1 : 0)) {
    for (;;) {
      const count = examined === 0 ? limit + 1 : Math.max(limit + 1, furtherChunk);
      const entries = await affiliates.valuesBeginningWith(programId, range, prefix, count, after || undefined);
      const byId = await affiliates.getMany(
        programId,
        entries.map((entry) => entry.id),
      );
      for (const { id, value } of entries) {
        const affiliate = byId.get(id);
        const foundByName = range === 'EMAIL' && affiliate && fullName(affiliate).toLowerCase().startsWith(prefix);
        if (!affiliate || foundByName || !fits(affiliate)) continue;
        if (found.length === limit) return new Page(found, found.at(-1)?.position);
        found.push({ item: affiliate, position: `${range} ${value}` });
      }
      examined += entries.length;
      after = entries.at(-1)?.value ?? '';
      if (entries.length < count) break;
      if (examined >= maxExamined) return new Page(found, `${range} ${after}`);
    }
    after = '';
  }
  return new Page(found, undefined);
};
