import { bytesAsJson } from '../../platform/table/record-size.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { codesOfCoupon, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** See docs/behavior.md#codes-inside-a-coupon */
const maxBytes = 2 * 1024 * 1024;
const maxBytesOfCodes = 1024 * 1024;
/** The worst case: 16 KB of metadata and the longest texts; an affiliate also has 100 links. */
const maxBytesOfCode = 24 * 1024;
const maxBytesOfAffiliate = 48 * 1024;
const maxBytesOfKeys = 1024;

interface ReadWithin<Record> {
  records: ReadonlyMap<string, Record>;
  leftOut: ReadonlySet<string>;
  bytes: number;
}

/** Stops before even the largest record could exceed the bytes. */
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

const inTurns = (lists: readonly (readonly string[])[]): string[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list[at] ?? []),
  ).flat();

export interface NestedCode {
  code: StoredPromotionalCode;
  affiliate: StoredAffiliate | undefined;
}

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
