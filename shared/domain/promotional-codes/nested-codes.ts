import { recordIdEdges } from '../../platform/table/record-id.ts';
import { bytesAsJson } from '../../platform/table/record-size.ts';
import { affiliateNames, type NamedAffiliate } from '../affiliates/names.ts';
import { codesOfCoupon, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** See docs/behavior.md#codes-inside-a-coupon */
const maxBytes = 2 * 1024 * 1024;
const maxBytesOfCodes = 1280 * 1024;
/** The worst case: 16 KB of metadata and the longest texts. */
const maxBytesOfCode = 24 * 1024;
/** Two names and an email. */
const maxBytesOfAffiliate = 2 * 1024;
/** What a response has of an item beside its record. */
const maxBytesOfKeys = 512;

/** Each of so many may be asked for its codes on its own. */
const fewCoupons = 6;
/** DynamoDB reads no more than 1 MB of them in one call. */
const newestOfProgram = 1000;
/** The clocks of two Lambdas may differ by less. */
const clockSkewMilliseconds = 60_000;

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
  affiliate: NamedAffiliate | undefined;
}

/** The newest codes of the program, whatever their coupons. */
interface NewestCodes {
  records: ReadonlyMap<string, StoredPromotionalCode>;
  bytes: number;
  /** Coupons made since then have no other codes; undefined if the program has none. */
  since: string | undefined;
}

const noneRead: NewestCodes = { records: new Map(), bytes: 0, since: recordIdEdges.highest(0xffffffffffff) };

/** One call in place of one for each coupon: of all codes in a program with few, else of the newest coupons. */
const readNewestCodes = async (programId: string): Promise<NewestCodes> => {
  const { items, next } = await promotionalCodes.page(programId, { limit: newestOfProgram, isOneRead: true });
  const oldest = items.at(-1);
  return {
    records: new Map(items.map((code) => [code.id, code])),
    bytes: items.reduce((bytes, code) => bytes + bytesAsJson(code) + maxBytesOfKeys, 0),
    since:
      next === undefined || !oldest
        ? undefined
        : recordIdEdges.lowest(Date.parse(oldest.createdAt) + clockSkewMilliseconds),
  };
};

const idsOfCoupons = (
  programId: string,
  couponIds: readonly string[],
  count: number,
  { records, since }: NewestCodes,
): Promise<string[][]> => {
  const byCoupon = Map.groupBy(records.values(), ({ couponId }) => couponId);
  return Promise.all(
    couponIds.map((couponId) => {
      const known = (byCoupon.get(couponId) ?? []).slice(0, count).map(({ id }) => id);
      const isAll = known.length === count || since === undefined || couponId >= since;
      return isAll ? known : promotionalCodes.newestIds(programId, codesOfCoupon(couponId), count);
    }),
  );
};

export const nestedCodes = async (
  programId: string,
  couponIds: readonly string[],
  count: number,
): Promise<NestedCode[][]> => {
  const newest = couponIds.length > fewCoupons ? await readNewestCodes(programId) : noneRead;
  const idsOf = await idsOfCoupons(programId, couponIds, count, newest);
  const inOrder = inTurns(idsOf);
  const unknown = inOrder.filter((id) => !newest.records.has(id));
  const codes = await readWithin(unknown, {
    budget: Math.max(maxBytesOfCodes - newest.bytes, maxBytesOfCodes / 2),
    largest: maxBytesOfCode,
    read: (ids) => promotionalCodes.getMany(programId, ids),
  });
  const codeOf = (id: string) => newest.records.get(id) ?? codes.records.get(id);
  const affiliateIds = inOrder.flatMap((id) => codeOf(id)?.affiliateId ?? []);
  const owners = await readWithin([...new Set(affiliateIds)], {
    budget: maxBytes - newest.bytes - codes.bytes,
    largest: maxBytesOfAffiliate,
    read: (ids) => affiliateNames(programId, ids),
  });
  return idsOf.map((ids) =>
    ids.flatMap((id) => {
      const code = codeOf(id);
      const affiliateId = code?.affiliateId ?? '';
      return code && !owners.leftOut.has(affiliateId) ? [{ code, affiliate: owners.records.get(affiliateId) }] : [];
    }),
  );
};
