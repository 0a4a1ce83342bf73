import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems, queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** The sums move in the transactions that claim or release parts, so they are exact at every moment. */
export const StoredPayout = z
  .object({
    sk: z.string(),
    amountMinor: z.union([z.number(), z.bigint()]).transform(BigInt),
    saleCount: z.number().default(0),
    adjustmentCount: z.number().default(0),
    paidCount: z.number().default(0),
    /** Too small: its sales are released and it is deleted. */
    isDropped: z.boolean().default(false),
    /** What paid it, where the batch names a coupon. Written with the code itself. */
    promotionalCode: z.object({ id: z.string(), code: z.string() }).nullable().default(null),
  })
  .transform(({ sk, ...payout }) => ({ affiliateId: sk, ...payout }));
export type StoredPayout = z.output<typeof StoredPayout>;

const keyOf = (programId: string, batchId: string, affiliateId: string) => ({
  pk: partition(programId, 'PAYOUT', 'BATCH', batchId),
  sk: affiliateId,
});

export const pageOfPayouts = async (
  programId: string,
  batchId: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ payouts: StoredPayout[]; next: string | undefined }> => {
  const { pk } = keyOf(programId, batchId, '');
  const { items, lastKey } = await queryItems('records', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    // One more than asked for tells whether there is a next page.
    Limit: limit + 1,
    ...(after && { ExclusiveStartKey: keyOf(programId, batchId, after) }),
  });
  const found = items.map((item) => StoredPayout.parse(item));
  const payouts = found.slice(0, limit);
  const isLast = found.length <= limit && !lastKey;
  return { payouts, next: isLast ? undefined : payouts.at(-1)?.affiliateId };
};

const maxInOneQuery = 1000;

export async function* allPayouts(programId: string, batchId: string): AsyncGenerator<StoredPayout> {
  let after: string | undefined;
  do {
    const { payouts, next } = await pageOfPayouts(programId, batchId, { limit: maxInOneQuery, after });
    yield* payouts;
    after = next;
  } while (after);
}

/** What a batch shows of all its payouts. */
export const sumsOfPayouts = async (programId: string, batchId: string) => {
  let payoutCount = 0;
  let saleCount = 0;
  let totalMinor = 0n;
  for await (const payout of allPayouts(programId, batchId)) {
    payoutCount += 1;
    saleCount += payout.saleCount;
    totalMinor += payout.amountMinor;
  }
  return { payoutCount, saleCount, totalAmountMinor: String(totalMinor) };
};

export const payoutsOf = async (
  programId: string,
  batchId: string,
  affiliateIds: Iterable<string>,
): Promise<Map<string, StoredPayout>> => {
  const table = deployedName('records');
  const keys = [...new Set(affiliateIds)].map((affiliateId) => keyOf(programId, batchId, affiliateId));
  const payouts = (await batchGetItems(table, keys)).map((item) => StoredPayout.parse(item));
  return new Map(payouts.map((payout) => [payout.affiliateId, payout]));
};

/** One affiliate's payouts, by batch. */
export const payoutsInBatches = async (
  programId: string,
  affiliateId: string,
  batchIds: readonly string[],
): Promise<Map<string, StoredPayout>> => {
  const batchOf = new Map(batchIds.map((id) => [String(keyOf(programId, id, affiliateId).pk), id]));
  const keys = batchIds.map((id) => keyOf(programId, id, affiliateId));
  const items = await batchGetItems(deployedName('records'), keys);
  return new Map(items.map((item) => [batchOf.get(String(item.pk)) ?? '', StoredPayout.parse(item)]));
};

type Sums = Partial<Record<'saleCount' | 'adjustmentCount' | 'paidCount', number>> & { amountMinor?: bigint };

/** Only `opens` creates a missing payout. */
export const incrementPayoutWrite = (
  programId: string,
  batchId: string,
  affiliateId: string,
  sums: Sums,
  { opens = false } = {},
): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, batchId, affiliateId),
    UpdateExpression: `ADD ${Object.keys(sums)
      .map((name) => `${name} :${name}`)
      .join(', ')}`,
    ...(!opens && { ConditionExpression: 'attribute_exists(pk)' }),
    ExpressionAttributeValues: Object.fromEntries(Object.entries(sums).map(([name, value]) => [`:${name}`, value])),
  },
  refusal: () => new ConcurrentModificationError(`The payout of affiliate ${affiliateId} is gone`),
});

export const dropPayoutWrite = (programId: string, batchId: string, affiliateId: string): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, batchId, affiliateId),
    UpdateExpression: 'SET isDropped = :true',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':true': true },
  },
  refusal: () => new ConcurrentModificationError(`The payout of affiliate ${affiliateId} is gone`),
});

export const deleteEmptyPayoutWrite = (programId: string, batchId: string, affiliateId: string): Write => ({
  Delete: {
    TableName: deployedName('records'),
    Key: keyOf(programId, batchId, affiliateId),
    ConditionExpression:
      '(attribute_not_exists(saleCount) OR saleCount = :none) AND ' +
      '(attribute_not_exists(adjustmentCount) OR adjustmentCount = :none)',
    ExpressionAttributeValues: { ':none': 0 },
  },
  refusal: () => new ConcurrentModificationError(`The payout of affiliate ${affiliateId} is not empty`),
});

/** Thrown if the payout already has a code: a retry has nothing left to do. */
export class PaidByCode extends Error {
  override name = 'PaidByCode';
}

/** In the transaction that creates the code, so that no payout gets a second one. Throws PaidByCode. */
export const paidByCodeWrite = (
  programId: string,
  batchId: string,
  affiliateId: string,
  promotionalCode: { id: string; code: string },
): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, batchId, affiliateId),
    UpdateExpression: 'SET promotionalCode = :code',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(promotionalCode)',
    ExpressionAttributeValues: { ':code': promotionalCode },
  },
  refusal: () => new PaidByCode(`The payout of affiliate ${affiliateId} has a code or is gone`),
});
