import * as z from 'zod';
import { putItem, queryItems } from '../../platform/table/items.ts';
import { StoredCounts } from './count-request.ts';
import { type Counts, lastMinuteOf } from './rate-limit.ts';

/** What deleted keys have used of their limits: the next key of the program continues there. docs/behavior.md#rate-limits */

/** Longer than a count is kept, on clocks that disagree a little. */
export const limitMilliseconds = 150_000;

const deletedLimits = (programId: string): string => `DELETED_LIMIT#${programId}`;

const DeletedLimit = z.object({ pk: z.string(), sk: z.string(), counts: StoredCounts });
export type DeletedLimit = z.infer<typeof DeletedLimit>;

const isUsed = (counts: Counts, now: Date): boolean => {
  const last = lastMinuteOf(counts);
  return last !== undefined && now.getTime() - last.getTime() < limitMilliseconds;
};

/** `token` is the deleted item. */
export const keepDeletedLimit = async (
  programId: string,
  token: Record<string, unknown> & { pk: string },
  now: Date,
): Promise<void> => {
  if (!isUsed(StoredCounts.parse(token.counts ?? {}), now)) return;
  const ttl = Math.ceil((now.getTime() + limitMilliseconds) / 1000);
  await putItem('traffic', { ...token, pk: deletedLimits(programId), sk: `${now.toISOString()} ${token.pk}`, ttl });
};

/** Newest first. */
export const usedDeletedLimits = async (programId: string, now: Date): Promise<DeletedLimit[]> => {
  const since = new Date(now.getTime() - limitMilliseconds).toISOString();
  const { items } = await queryItems('traffic', {
    KeyConditionExpression: 'pk = :pk AND sk > :since',
    ExpressionAttributeValues: { ':pk': deletedLimits(programId), ':since': since },
    ScanIndexForward: false,
    ConsistentRead: true,
  });
  return items.map((item) => DeletedLimit.parse(item)).filter(({ counts }) => isUsed(counts, now));
};
