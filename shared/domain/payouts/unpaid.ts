import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { deployedName, documents } from '../../platform/table/client.ts';
import { partition } from '../../platform/table/partition.ts';
import { RecordChanged } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { sales, salesOfReferral } from '../sales/repository.ts';
import { payoutBatches } from './repository.ts';

/**
 * Under each affiliate, the payout batches that have a payout for it and are not done with it. It is written in the
 * transactions that claim, release and pay, where an index would know a moment later.
 */
const keyOf = (programId: string, affiliateId: string) => ({
  pk: partition(programId, 'PAYOUT', 'AFFILIATE', affiliateId),
  sk: 'BATCHES',
});

/** More sales than these are not searched for one in a payout batch while the request waits. */
const maxSalesRead = 1000;

const Membership = z.object({ batchIds: z.set(z.string()).default(new Set<string>()) });

const membershipWrite = (verb: 'ADD' | 'DELETE', programId: string, batchId: string, affiliateId: string): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, affiliateId),
    UpdateExpression: `${verb} batchIds :batch`,
    ExpressionAttributeValues: { ':batch': new Set([batchId]) },
  },
  refusal: () => new RecordChanged(`The payout batches of affiliate ${affiliateId} changed`),
});

/** Notes that a batch has a payout for an affiliate. */
export const joining = (programId: string, batchId: string, affiliateId: string): Write =>
  membershipWrite('ADD', programId, batchId, affiliateId);

/** Notes that a batch is done with an affiliate: paid, or its sales given back. */
export const leaving = (programId: string, batchId: string, affiliateId: string): Write =>
  membershipWrite('DELETE', programId, batchId, affiliateId);

const batchIdsOf = async (programId: string, affiliateId: string): Promise<ReadonlySet<string>> => {
  const Key = keyOf(programId, affiliateId);
  const answer = await documents.send(
    new GetCommand({ TableName: deployedName('records'), Key, ConsistentRead: true }),
  );
  return Membership.parse(answer.Item ?? {}).batchIds;
};

/** The condition that an affiliate is in the payout batches that were read, and in no other. */
const inBatches = (programId: string, affiliateId: string, batchIds: ReadonlySet<string>): Write => ({
  ConditionCheck: {
    TableName: deployedName('records'),
    Key: keyOf(programId, affiliateId),
    ConditionExpression: batchIds.size > 0 ? 'batchIds = :known' : 'attribute_not_exists(batchIds)',
    ...(batchIds.size > 0 && { ExpressionAttributeValues: { ':known': batchIds } }),
  },
  refusal: () => new RecordChanged(`The payout batches of affiliate ${affiliateId} changed`),
});

/** Those of the batches that are not paid. A deleted one that is still noted has not given all sales back. */
const unpaidOf = async (programId: string, batchIds: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  const batches = await payoutBatches.getMany(programId, batchIds);
  return new Set([...batchIds].filter((id) => batches.get(id)?.status !== 'PAID'));
};

/**
 * For the transaction that deletes a referral: 409 when an unpaid payout batch has sales of it, or may have some among more
 * than 1,000; else the condition that its affiliate gets into no other until then.
 */
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

/**
 * For the transaction that deletes an affiliate: 409 when an unpaid payout batch has sales of it, else the condition
 * that none takes some until then.
 */
export const staysOutOfPayoutBatches = async (programId: string, affiliateId: string): Promise<Write> => {
  const batchIds = await batchIdsOf(programId, affiliateId);
  if ((await unpaidOf(programId, batchIds)).size > 0)
    throw new ApiError('conflict', 'The affiliate is in a payout batch that is not paid yet');
  return inBatches(programId, affiliateId, batchIds);
};
