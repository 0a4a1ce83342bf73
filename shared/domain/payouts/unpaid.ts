import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { getItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { sales, salesOfReferral } from '../sales/repository.ts';
import { payoutBatches } from './repository.ts';
import type { StoredPayoutBatch } from './rules.ts';

/** Written in the transactions that claim, release and pay, because an index would lag. */
const keyOf = (programId: string, affiliateId: string) => ({
  pk: partition(programId, 'PAYOUT', 'AFFILIATE', affiliateId),
  sk: 'BATCHES',
});

/** With more sales, the response is 409 rather than a slow search. */
const maxSalesRead = 1000;

const Membership = z.object({ batchIds: z.set(z.string()).default(new Set<string>()) });

const membershipWrite = (verb: 'ADD' | 'DELETE', programId: string, batchId: string, affiliateId: string): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, affiliateId),
    UpdateExpression: `${verb} batchIds :batch`,
    ExpressionAttributeValues: { ':batch': new Set([batchId]) },
  },
  refusal: () => new ConcurrentModificationError(`The payout batches of affiliate ${affiliateId} changed`),
});

export const joining = (programId: string, batchId: string, affiliateId: string): Write =>
  membershipWrite('ADD', programId, batchId, affiliateId);

export const leaving = (programId: string, batchId: string, affiliateId: string): Write =>
  membershipWrite('DELETE', programId, batchId, affiliateId);

const batchIdsOf = async (programId: string, affiliateId: string): Promise<ReadonlySet<string>> => {
  const item = await getItem('records', keyOf(programId, affiliateId));
  return Membership.parse(item ?? {}).batchIds;
};

/** The condition that the affiliate is in exactly the batches that were read. */
const inBatches = (programId: string, affiliateId: string, batchIds: ReadonlySet<string>): Write => ({
  ConditionCheck: {
    TableName: deployedName('records'),
    Key: keyOf(programId, affiliateId),
    ConditionExpression: batchIds.size > 0 ? 'batchIds = :known' : 'attribute_not_exists(batchIds)',
    ...(batchIds.size > 0 && { ExpressionAttributeValues: { ':known': batchIds } }),
  },
  refusal: () => new ConcurrentModificationError(`The payout batches of affiliate ${affiliateId} changed`),
});

/** A listed batch that is deleted still has sales to release; one that is paid by a coupon still has codes to create. */
const isOwed = (batch: StoredPayoutBatch | undefined): boolean => batch?.status !== 'PAID' || batch.couponId !== null;

const unpaidOf = async (programId: string, batchIds: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  const batches = await payoutBatches.getMany(programId, batchIds);
  return new Set([...batchIds].filter((id) => isOwed(batches.get(id))));
};

/** 409 if an unpaid batch may have sales of the referral; else the condition that none takes some. */
export const salesStayOutOfPayoutBatches = async (
  programId: string,
  { id: referralId, affiliateId }: { id: string; affiliateId: string | null },
): Promise<Write[]> => {
  if (affiliateId === null) return [];
  const batchIds = await batchIdsOf(programId, affiliateId);
  const unpaid = await unpaidOf(programId, batchIds);
  if (unpaid.size > 0) {
    const { items, next } = await sales.page(programId, { limit: maxSalesRead }, salesOfReferral(referralId));
    if (items.some(({ payoutBatchId }) => payoutBatchId !== null && unpaid.has(payoutBatchId)))
      throw new ApiError('conflict', 'Sales of the referral are in a payout batch that is not paid yet');
    if (next)
      throw new ApiError(
        'conflict',
        `The referral has more than ${maxSalesRead} sales, and its affiliate is in a payout batch that is not paid yet`,
      );
  }
  return [inBatches(programId, affiliateId, batchIds)];
};

/** 409 if an unpaid batch has sales of the affiliate; else the condition that none takes some until then. */
export const staysOutOfPayoutBatches = async (programId: string, affiliateId: string): Promise<Write> => {
  const batchIds = await batchIdsOf(programId, affiliateId);
  if ((await unpaidOf(programId, batchIds)).size > 0)
    throw new ApiError('conflict', 'The affiliate is in a payout batch that is not paid yet');
  return inBatches(programId, affiliateId, batchIds);
};
