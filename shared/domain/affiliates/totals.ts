import * as z from 'zod';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems, queryItems, updateItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import type { PageRequest } from '../../platform/table/page.ts';
import { partition } from '../../platform/table/partition.ts';
import { recordIdEdges } from '../../platform/table/record-id.ts';
import type { Write } from '../../platform/table/transaction.ts';
import type { StoredAffiliate } from './rules.ts';

/** A separate item: the affiliate's own item holds up to 100 links and would cost 30 write units per sale. */
export const AffiliateTotals = z.object({
  numberOfReferredUsers: z.number().default(0),
  numberOfClicks: z.number().default(0),
  /** Sales of earlier versions are counted by `commissions build`. docs/operations.md#build-what-commissions-depend-on */
  numberOfSales: z.number().default(0),
  totalRevenueMinor: MinorSum.default(0),
  totalCommissionEarnedMinor: MinorSum.default(0),
  totalCommissionPaidMinor: MinorSum.default(0),
  /** The affiliate's first sale, once a mail about it was decided. docs/behavior.md#first-sale-and-payouts */
  firstSaleId: z.string().optional(),
});
type AffiliateTotals = z.infer<typeof AffiliateTotals>;

/** Of a new affiliate. */
export const noTotals = AffiliateTotals.parse({});

export type AffiliateWithTotals = StoredAffiliate & AffiliateTotals;

/** Longer than the events of a deleted affiliate's cascade take. */
const keptSeconds = 35 * 24 * 60 * 60;

const keyOf = (programId: string, affiliateId: string) => ({
  pk: partition(programId, 'AFFILIATE', 'TOTALS'),
  sk: affiliateId,
});

type TotalsById = ReadonlyMap<string, AffiliateTotals>;

const byIdOf = (items: readonly Record<string, unknown>[]): TotalsById =>
  new Map(items.map((item) => [String(item.sk), AffiliateTotals.parse(item)]));

export const readTotals = async (programId: string, ids: Iterable<string>): Promise<TotalsById> => {
  const keys = [...new Set(ids)].map((id) => keyOf(programId, id));
  return byIdOf(await batchGetItems(deployedName('records'), keys));
};

/** Those of the affiliates whose first sale is known, with its id. Eventually consistent. */
export const readFirstSales = async (programId: string, ids: Iterable<string>): Promise<Map<string, string>> => {
  const keys = [...ids].map((id) => keyOf(programId, id));
  const totals = byIdOf(await batchGetItems(deployedName('records'), keys, { isConsistent: false }));
  return new Map([...totals].flatMap(([id, { firstSaleId }]) => (firstSaleId ? [[id, firstSaleId] as const] : [])));
};

/** Returns the first sale: this one, unless another was claimed before. Undefined without the affiliate. */
export const claimFirstSale = async (
  programId: string,
  affiliateId: string,
  saleId: string,
): Promise<string | undefined> => {
  const claimed = await updateItem('records', keyOf(programId, affiliateId), {
    UpdateExpression: 'SET firstSaleId = :sale',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(firstSaleId)',
    ExpressionAttributeValues: { ':sale': saleId },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return claimed.isWritten ? saleId : AffiliateTotals.shape.firstSaleId.parse(claimed.item?.firstSaleId);
};

/** Of a page that no index gives, with one query. Totals of deleted affiliates are among them, so some may be missing. */
export const readTotalsOfPage = async (programId: string, request: PageRequest): Promise<TotalsById> => {
  const { pk } = keyOf(programId, '');
  const { createdBefore, after, limit } = request;
  const high = recordIdEdges.highest(createdBefore ? Date.parse(createdBefore) - 1 : 0xffffffffffff);
  const { items } = await queryItems('records', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk <= :high',
    ExpressionAttributeValues: { ':pk': pk, ':high': high },
    ScanIndexForward: false,
    Limit: limit,
    ...(after && after <= high && { ExclusiveStartKey: keyOf(programId, after) }),
  });
  return byIdOf(items);
};

/** Includes affiliates deleted moments ago. Reads the totals that are not `known`. */
export const withTotals = async (
  programId: string,
  affiliates: readonly StoredAffiliate[],
  known: TotalsById = new Map(),
): Promise<AffiliateWithTotals[]> => {
  const missing = affiliates.map(({ id }) => id).filter((id) => !known.has(id));
  const read = await readTotals(programId, missing);
  return affiliates.map((affiliate) => ({
    ...affiliate,
    ...(known.get(affiliate.id) ?? read.get(affiliate.id) ?? noTotals),
  }));
};

export interface TotalsOfAffiliate extends AffiliateTotals {
  affiliateId: string;
}

/** Of the newest affiliates that were not deleted, in one query: about 26 read units for 1,000 of them. */
export const newestTotals = async (
  programId: string,
  count: number,
): Promise<{ totals: TotalsOfAffiliate[]; isAll: boolean }> => {
  const { items, lastKey } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': keyOf(programId, '').pk },
    ScanIndexForward: false,
    Limit: count,
  });
  const kept = items.filter(({ ttl }) => ttl === undefined);
  const totals = kept.map((item) => ({ affiliateId: String(item.sk), ...AffiliateTotals.parse(item) }));
  return { totals, isAll: lastKey === undefined };
};

export const createTotalsWrite = (programId: string, affiliateId: string): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: keyOf(programId, affiliateId),
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`Affiliate ${affiliateId} exists already`),
});

/** Expires instead of being deleted: events of the cascade still show the totals. */
export const expireTotalsWrite = (programId: string, affiliateId: string, now: Date): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, affiliateId),
    UpdateExpression: 'SET #ttl = :ttl',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':ttl': Math.ceil(now.getTime() / 1000) + keptSeconds },
  },
  refusal: () => new ConcurrentModificationError(`The totals of affiliate ${affiliateId} are gone`),
});

/** Refused if the affiliate was purged with its program. */
export const incrementTotalsWrite = (
  programId: string,
  affiliateId: string,
  amounts: Readonly<Record<string, bigint>>,
): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, affiliateId),
    UpdateExpression: `ADD ${Object.keys(amounts)
      .map((name) => `${name} :${name}`)
      .join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(amounts).map(([name, amount]) => [`:${name}`, amount]),
    ),
  },
  refusal: () => new ConcurrentModificationError(`The totals of affiliate ${affiliateId} are gone`),
});
