import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { staysOutOfPayoutBatches } from '../../shared/domain/payouts/unpaid.ts';
import type { StoredAdjustment } from '../../shared/domain/sales/adjustments.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { newSaleId } from '../../shared/domain/sales/sale-id.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import type { Write } from '../../shared/platform/table/transaction.ts';
import { inTurn } from './in-turn.ts';

let salesMade = 0;

/** A sale of 100.00 with 10.00 of commission, as the table keeps it. Its number is in its id, so that ids differ. */
export const makeStoredSale = (affiliateId: string, overrides: Partial<StoredSale> = {}): StoredSale => {
  salesMade += 1;
  const createdAt = overrides.createdAt ?? new Date(Date.now() - salesMade).toISOString();
  return {
    id: newSaleId(new Date(createdAt), (bound) => salesMade % bound),
    createdAt,
    updatedAt: createdAt,
    version: 1,
    affiliateId,
    referralId: null,
    affiliateLinkId: null,
    referringHost: null,
    promotionalCodeId: null,
    redemption: null,
    externalId: null,
    externalInvoiceId: null,
    customerId: null,
    name: null,
    email: null,
    totalEarnedMinor: 10_000,
    commissionRate: 10,
    commissionRule: null,
    commissionEarnedMinor: 1000,
    refundedAmountMinor: 0,
    productsBought: [],
    status: 'ACTIVE',
    reviewStatus: null,
    reviewReasons: [],
    refundedAt: null,
    payoutBatchId: null,
    paidAt: null,
    source: 'API',
    importKey: null,
    attribution: null,
    inStatistics: true,
    contentHash: '',
    searchWords: [],
    metadata: {},
    ...overrides,
  };
};

/** What an affiliate owes because of a refund, as the table keeps it. */
export const makeStoredAdjustment = (affiliateId: string, amountMinor: number): StoredAdjustment => {
  const now = new Date();
  const createdAt = now.toISOString();
  return {
    id: newRecordId(now),
    createdAt,
    updatedAt: createdAt,
    version: 1,
    saleId: '0',
    affiliateId,
    amountMinor,
    payoutBatchId: null,
    paidAt: null,
  };
};

/** Writes many new records at once, as fast as the table takes them. */
export const storeAll = async (creations: readonly Write[]): Promise<void> => {
  const puts = creations.flatMap(({ Put }) => (Put?.TableName ? [{ table: Put.TableName, Item: Put.Item }] : []));
  const parts = Array.from({ length: Math.ceil(puts.length / 25) }, (_, at) => puts.slice(at * 25, at * 25 + 25));
  await inTurn(
    parts,
    async (part) => {
      const requests = part.map(({ Item }) => ({ PutRequest: { Item } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [part[0]?.table ?? '']: requests } }));
    },
    4,
  );
};

/** New records of which the stack's workers take no notice: the test alone works on them. */
export const unnoticed = (creations: readonly Write[]): Write[] =>
  creations.map((write) => {
    if (!write.Put) return write;
    const { kind: _kind, ...Item } = write.Put.Item ?? {};
    return { ...write, Put: { ...write.Put, Item } };
  });

/** Writes many sales at once, each of which makes its events and totals. */
export const storeSales = (programId: string, stored: readonly StoredSale[]): Promise<void> =>
  storeAll(stored.flatMap((sale) => sales.createWrites(programId, sale)));

/** Writes many sales without events and totals, which would take most of a test's time. */
export const storeQuietSales = (programId: string, stored: readonly StoredSale[]): Promise<void> =>
  storeAll(unnoticed(stored.flatMap((sale) => sales.createWrites(programId, sale))));

/** Whether a payout batch keeps an affiliate from being deleted. */
export const isHeld = (programId: string, affiliateId: string): Promise<boolean> =>
  staysOutOfPayoutBatches(programId, affiliateId).then(
    () => false,
    () => true,
  );
