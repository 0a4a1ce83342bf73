import { deployedName } from '../../platform/table/client.ts';
import { queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

/**
 * Markers of redemptions that took no use of a cap and are not counted yet. One is written in the transaction of the sale or
 * referral and deleted in the transaction in which the totals worker counts it: while there is one, the count is behind.
 *
 * In the traffic table, under `PROGRAM#<id>#UNCOUNTED#<coupon id>#<part>`: `<code id>#<id of the sale or referral>`.
 */
export interface Uncounted {
  couponId: string;
  codeId: string;
  /** Of the sale or referral that redeemed the code. */
  recordId: string;
}

/** One partition takes 250 markers a second: written and deleted, at two units each. */
const partCount = 4;
const parts = Array.from({ length: partCount }, (_, part) => String(part));

/** A stream keeps a record for one day: what is not counted by then never is. */
const markerSeconds = 8 * 24 * 60 * 60;

const partitionOf = (programId: string, couponId: string, part: string) =>
  partition(programId, 'UNCOUNTED', couponId, part);

const keyOf = (programId: string, { couponId, codeId, recordId }: Uncounted) => ({
  pk: partitionOf(programId, couponId, String((recordId.codePointAt(recordId.length - 1) ?? 0) % partCount)),
  sk: `${codeId}#${recordId}`,
});

/** Marks a redemption as not counted. */
export const uncountedMarker = (programId: string, uncounted: Uncounted, now: Date): Write => ({
  Put: {
    TableName: deployedName('traffic'),
    Item: { ...keyOf(programId, uncounted), ttl: Math.ceil(now.getTime() / 1000) + markerSeconds },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`The redemption ${uncounted.recordId} is marked already`),
});

/** Deletes the marker of a redemption, in the transaction that counts it; `refusal` where it was counted before. */
export const countedWrite = (programId: string, uncounted: Uncounted, refusal: () => Error): Write => ({
  Delete: {
    TableName: deployedName('traffic'),
    Key: keyOf(programId, uncounted),
    ConditionExpression: 'attribute_exists(pk)',
  },
  refusal,
});

/**
 * Whether redemptions of a coupon, or of one code of it, are not counted yet. Strongly consistent; four queries of one
 * item each.
 */
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
