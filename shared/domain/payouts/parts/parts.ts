import type { IndexEntry, StoredRecord } from '../../../platform/table/keys.ts';
import type { RecordStore } from '../../../platform/table/record-store.ts';
import { adjustments, adjustmentsInBatch, type StoredAdjustment } from '../../sales/adjustments.ts';
import { sales, salesInBatch } from '../../sales/repository.ts';
import { isPayable, type StoredSale } from '../../sales/rules.ts';

export interface Part extends StoredRecord {
  affiliateId: string | null;
  payoutBatchId: string | null;
  paidAt: string | null;
}

export interface PartKind<Stored extends Part> {
  store: Pick<RecordStore<Stored>, 'getMany' | 'page' | 'updateWrites'>;
  inBatch: (batchId: string) => IndexEntry;
  isOpen: (part: Stored) => boolean;
  /** Constant while the part is in a batch. */
  amountMinorOf: (part: Stored) => number;
  counter: 'saleCount' | 'adjustmentCount';
}

export const saleParts: PartKind<StoredSale> = {
  store: sales,
  inBatch: salesInBatch,
  isOpen: isPayable,
  amountMinorOf: (sale) => sale.commissionEarnedMinor,
  counter: 'saleCount',
};

export const adjustmentParts: PartKind<StoredAdjustment> = {
  store: adjustments,
  inBatch: adjustmentsInBatch,
  isOpen: (adjustment) => adjustment.payoutBatchId === null,
  amountMinorOf: (adjustment) => adjustment.amountMinor,
  counter: 'adjustmentCount',
};

/** A bigint, because a sum may exceed a safe integer. */
export const worthOf = <Stored extends Part>({ amountMinorOf }: PartKind<Stored>, parts: readonly Stored[]): bigint =>
  parts.reduce((sum, part) => sum + BigInt(amountMinorOf(part)), 0n);

/** A message that comes again repeats no more than this. */
export const partsInOneMessage = 500;
