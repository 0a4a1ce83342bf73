import { deployedName } from '../../platform/table/deployed-name.ts';
import { queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** Markers of uncapped redemptions that the totals worker has not counted yet. See docs/decisions/hot-items.md. */
export interface Uncounted {
  couponId: string;
  codeId: string;
  recordId: string;
}

/** One partition takes 250 markers a second: written and deleted, at two units each. */
const partCount = 4;
const parts = Array.from({ length: partCount }, (_, part) => String(part));

/** Longer than the stream keeps a record. */
const markerSeconds = 8 * 24 * 60 * 60;

const partitionOf = (programId: string, couponId: string, part: string) =>
  partition(programId, 'UNCOUNTED', couponId, part);

const keyOf = (programId: string, { couponId, codeId, recordId }: Uncounted) => ({
  pk: partitionOf(programId, couponId, String((recordId.codePointAt(recordId.length - 1) ?? 0) % partCount)),
  sk: `${codeId}#${recordId}`,
});

export const uncountedMarker = (programId: string, uncounted: Uncounted, now: Date): Write => ({
  Put: {
    TableName: deployedName('traffic'),
    Item: { ...keyOf(programId, uncounted), ttl: Math.ceil(now.getTime() / 1000) + markerSeconds },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`The redemption ${uncounted.recordId} is marked already`),
});

export const countedWrite = (programId: string, uncounted: Uncounted, refusal: () => Error): Write => ({
  Delete: {
    TableName: deployedName('traffic'),
    Key: keyOf(programId, uncounted),
    ConditionExpression: 'attribute_exists(pk)',
  },
  refusal,
});

/** Of a coupon, or of one of its codes. Strongly consistent. */
export const hasUncounted = async (programId: string, couponId: string, codeId?: string): Promise<boolean> => {
  const counts = await Promise.all(
    parts.map(async (part) => {
      const { items } = await queryItems('traffic', {
        ConsistentRead: true,
        KeyConditionExpression: codeId ? 'pk = :pk AND begins_with(sk, :code)' : 'pk = :pk',
        ExpressionAttributeValues: {
          ':pk': partitionOf(programId, couponId, part),
          ...(codeId && { ':code': `${codeId}#` }),
        },
        Limit: 1,
      });
      return items.length;
    }),
  );
  return counts.some((count) => count > 0);
};
