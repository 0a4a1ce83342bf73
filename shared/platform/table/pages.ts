import type { OnFound } from '../concurrency/on-found.ts';
import { maxKeysOfCall, queryItems } from './items.ts';
import { type IndexEntry, indexAttribute, indexKey, keyOf, type RecordDefinition, type StoredRecord } from './keys.ts';
import { Page, type PageRequest } from './page.ts';
import { partition } from './partition.ts';
import { readRecords } from './reads.ts';

/** A page that reads this much to find little ends early. */
const maxExamined = 1000;
/** Later reads look for few among many. */
const furtherChunk = 100;

interface Chunk<Stored> {
  records: { record: Stored; position: string }[];
  isLast: boolean;
  /** More was found than was read, so there is a next page. */
  hasMore: boolean;
  lastPosition: string | undefined;
}

/** Called with the ids from an index. */
export type OnIdsFound = OnFound<readonly string[]>;

interface PageChoice<Stored> {
  entry?: IndexEntry | undefined;
  keep?: ((record: Stored) => boolean) | undefined;
  onFound?: OnIdsFound | undefined;
}

interface Range {
  entry: IndexEntry | undefined;
  request: PageRequest;
  onFound: OnIdsFound | undefined;
  after: string | undefined;
  count: number;
}

/** Without the one that only tells that there is a next page, where it would cost a call of its own. */
export const withoutOneMore = <Entry>(found: readonly Entry[]): readonly Entry[] =>
  found.length > 1 && found.length % maxKeysOfCall === 1 ? found.slice(0, -1) : found;

const readChunk = async <Stored extends StoredRecord>(
  definition: RecordDefinition<Stored>,
  programId: string,
  { entry, request, after, count, onFound }: Range,
): Promise<Chunk<Stored>> => {
  const { idEdges, kind, schema, table } = definition;
  const attribute = entry ? indexAttribute(entry.index) : 'pk';
  const key = entry ? indexKey(definition, programId, entry) : partition(programId, kind);
  const low = request.createdAfter ? idEdges.lowest(Date.parse(request.createdAfter)) : idEdges.lowest(0);
  const high = idEdges.highest(request.createdBefore ? Date.parse(request.createdBefore) - 1 : 0xffffffffffff);
  const { isOldestFirst = false } = request;
  const isAtEnd = after !== undefined && (isOldestFirst ? after > high : after < low);
  if (low > high || isAtEnd) return { records: [], isLast: true, hasMore: false, lastPosition: after };
  // DynamoDB refuses a position outside of the range, which may have moved since the page before.
  const isWithin = after !== undefined && after >= low && after <= high;
  const { items, lastKey } = await queryItems(table, {
    ...(entry ? { IndexName: entry.index } : { ConsistentRead: request.isConsistent ?? true }),
    KeyConditionExpression: '#pk = :pk AND sk BETWEEN :low AND :high',
    ExpressionAttributeNames: { '#pk': attribute },
    ExpressionAttributeValues: { ':pk': key, ':low': low, ':high': high },
    ScanIndexForward: isOldestFirst,
    Limit: count,
    ...(isWithin && {
      ExclusiveStartKey: { ...keyOf(definition, programId, after), ...(entry && { [attribute]: key }) },
    }),
  });
  const found = items.map((item) => String(item.sk));
  if (!entry) {
    const records = items.map((item) => ({ record: schema.parse(item), position: String(item.sk) }));
    return { records, isLast: !lastKey, hasMore: false, lastPosition: found.at(-1) ?? after };
  }
  const positions = withoutOneMore(found);
  const hasMore = positions.length < found.length;
  onFound?.(positions);
  const byId = await readRecords(definition, programId, positions, request.isConsistent);
  const records = positions.flatMap((position) => {
    const record = byId.get(position);
    return record ? [{ record, position }] : [];
  });
  return { records, isLast: !lastKey && !hasMore, hasMore, lastPosition: positions.at(-1) ?? after };
};

/** Newest first, unless asked otherwise. `keep` filters what the index cannot; a page that reads much to find little ends early. */
export const readPage = async <Stored extends StoredRecord>(
  definition: RecordDefinition<Stored>,
  programId: string,
  request: PageRequest,
  { entry, keep = () => true, onFound }: PageChoice<Stored> = {},
): Promise<Page<Stored>> => {
  const { limit, updatedAfter } = request;
  const kept = (record: Stored) => keep(record) && (!updatedAfter || record.updatedAt > updatedAfter);
  const found: { item: Stored; position: string }[] = [];
  let after = request.after;
  let examined = 0;
  while (examined < maxExamined) {
    // One more than the page needs tells whether there is a next one.
    const count = examined === 0 ? limit + 1 : Math.max(limit + 1, furtherChunk);
    const chunk = await readChunk(definition, programId, { entry, request, after, count, onFound });
    for (const { record, position } of chunk.records) {
      if (!kept(record)) continue;
      if (found.length === limit) return new Page(found, found.at(-1)?.position);
      found.push({ item: record, position });
    }
    if (chunk.isLast) return new Page(found, undefined);
    if (chunk.hasMore && found.length === limit) return new Page(found, found.at(-1)?.position);
    after = chunk.lastPosition;
    examined += request.isOneRead ? maxExamined : count;
  }
  return new Page(found, after);
};

const recordsOfRead = 100;

export async function* allRecords<Stored extends StoredRecord>(
  definition: RecordDefinition<Stored>,
  programId: string,
  entry?: IndexEntry,
): AsyncGenerator<Stored> {
  let after: string | undefined;
  do {
    const page: Page<Stored> = await readPage(definition, programId, { limit: recordsOfRead, after }, { entry });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
