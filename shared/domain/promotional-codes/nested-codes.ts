import { bytesAsJson } from '../../platform/table/record-size.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { codesOfCoupon, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** What one request reads at most for the codes inside coupons, the affiliates of these codes included. */
const maxBytes = 2 * 1024 * 1024;
const maxBytesOfCodes = 1024 * 1024;
/** The largest records: metadata of 16 KB and the longest texts; an affiliate also has 100 links. */
const maxBytesOfCode = 24 * 1024;
const maxBytesOfAffiliate = 48 * 1024;
/** What an item has beside its record: its key and its index entries. */
const maxBytesOfKeys = 1024;

interface ReadWithin<Record> {
  records: ReadonlyMap<string, Record>;
  leftOut: ReadonlySet<string>;
  bytes: number;
}

/** Reads records in their order while even the largest would stay within the bytes; those beyond are left out. */
const readWithin = async <Record extends object>(
  ids: readonly string[],
  { budget, largest, read }: { budget: number; largest: number; read: (ids: string[]) => Promise<Map<string, Record>> },
): Promise<ReadWithin<Record>> => {
  const records = new Map<string, Record>();
  let bytes = 0;
  let start = 0;
  while (start < ids.length) {
    const count = Math.min(100, Math.floor((budget - bytes) / largest));
    if (count < 1) break;
    const found = await read(ids.slice(start, start + count));
    for (const [id, record] of found) {
      records.set(id, record);
      bytes += bytesAsJson(record) + maxBytesOfKeys;
    }
    start += count;
  }
  return { records, leftOut: new Set(ids.slice(start)), bytes };
};

/** The first of each list, then the second of each, and so on. */
const inTurns = (lists: readonly (readonly string[])[]): string[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list[at] ?? []),
  ).flat();

/** A code with the affiliate it belongs to, where it has one. */
export interface NestedCode {
  code: StoredPromotionalCode;
  affiliate: StoredAffiliate | undefined;
}

/**
 * The newest codes of each coupon, up to `count`. At most 2 MB are read for all of them: where the records are large, the
 * oldest are left out.
 */
export const nestedCodes = async (
  programId: string,
  couponIds: readonly string[],
  count: number,
): Promise<NestedCode[][]> => {
  const idsOf = await Promise.all(
    couponIds.map((id) => promotionalCodes.newestIds(programId, codesOfCoupon(id), count)),
  );
  const codes = await readWithin(inTurns(idsOf), {
    budget: maxBytesOfCodes,
    largest: maxBytesOfCode,
    read: (ids) => promotionalCodes.getMany(programId, ids),
  });
  const affiliateIds = inTurns(idsOf).flatMap((id) => codes.records.get(id)?.affiliateId ?? []);
  const owners = await readWithin([...new Set(affiliateIds)], {
    budget: maxBytes - codes.bytes,
    largest: maxBytesOfAffiliate,
    read: (ids) => affiliates.getManyEvenDeleted(programId, ids),
  });
  return idsOf.map((ids) =>
    ids.flatMap((id) => {
      const code = codes.records.get(id);
      const affiliateId = code?.affiliateId ?? '';
      return code && !owners.leftOut.has(affiliateId) ? [{ code, affiliate: owners.records.get(affiliateId) }] : [];
    }),
  );
};
