import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { getItem, queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';

const FeedEntry = z.object({ id: z.string(), type: z.string() });
export type FeedEntry = z.infer<typeof FeedEntry>;

/** Numbers are dense and begin with 1. The newest segment has no `ttl`, so numbers are never given twice. */
export const Segment = z.object({
  number: z.number(),
  /** Never earlier than that of the segment before. */
  storedAt: z.string(),
  entries: z.array(FeedEntry),
  ttl: z.number().optional(),
});
export type Segment = z.infer<typeof Segment>;

const partitionOf = (programId: string) => partition(programId, 'FEED');
const keyOf = (programId: string, number: number) => ({
  pk: partitionOf(programId),
  sk: String(number).padStart(12, '0'),
});

export const segmentWrite = (programId: string, segment: Segment): Write => ({
  Put: {
    TableName: deployedName('traffic'),
    Item: { ...keyOf(programId, segment.number), ...segment },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`Segment ${segment.number} of the feed exists already`),
});

export const readSegment = async (programId: string, number: number): Promise<Segment | undefined> => {
  const item = await getItem('traffic', keyOf(programId, number));
  return item && Segment.parse(item);
};

export const newestSegment = async (programId: string): Promise<Segment | undefined> => {
  const { items } = await queryItems('traffic', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partitionOf(programId) },
    ScanIndexForward: false,
    Limit: 1,
  });
  return items[0] && Segment.parse(items[0]);
};

export const newestNumber = async (programId: string): Promise<number> => (await newestSegment(programId))?.number ?? 0;

/** Those with the numbers from `first` on, without a gap: a query is no snapshot and may miss one that was just written. */
export const segmentsFrom = async (
  programId: string,
  first: number,
  count: number,
): Promise<{ segments: Segment[]; hasMore: boolean }> => {
  const { pk, sk } = keyOf(programId, first);
  const { items, lastKey } = await queryItems('traffic', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk >= :first',
    ExpressionAttributeValues: { ':pk': pk, ':first': sk },
    Limit: count,
  });
  const segments = items.map((item) => Segment.parse(item)).filter(({ number }, at) => number === first + at);
  return { segments, hasMore: lastKey !== undefined && segments.length === items.length };
};

/** Beyond the 30 days in which a position is valid, whatever the clocks of two Lambdas say. */
const keptSeconds = 31 * 24 * 60 * 60;

/** Lets a segment expire that is not the newest any more. */
export const expireWrite = (programId: string, { number }: Segment, now: Date): Write => ({
  Update: {
    TableName: deployedName('traffic'),
    Key: keyOf(programId, number),
    UpdateExpression: 'SET #ttl = :ttl',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':ttl': Math.ceil(now.getTime() / 1000) + keptSeconds },
  },
  refusal: () => new ConcurrentModificationError(`Segment ${number} of the feed is gone`),
});

/** For a deleted program. */
export const expireFeed = async (programId: string, now: Date): Promise<void> => {
  const newest = await newestSegment(programId);
  if (newest) await writeAlone([expireWrite(programId, newest, now)]);
};
