import { ApiError } from '../../contract/errors.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { adjustmentWrites } from './adjustments.ts';
import { sales } from './repository.ts';
import { adjustedMinor, type StoredSale } from './rules.ts';
import { requireSale } from './update-sale.ts';

/** Fails if the sale entered a payout batch since it was read. Makes up for its adjustments. */
export const deleteSaleWrites = async (programId: string, sale: StoredSale, now: Date): Promise<Write[]> => [
  ...sales.deleteWrites(programId, sale),
  ...(await adjustmentWrites(programId, sale, adjustedMinor(sale), now)),
];

/** See docs/behavior.md#deleting-a-sale */
export const deleteSale = (
  programId: string,
  saleId: number,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredSale> =>
  retryOnConflict(async () => {
    const sale = await requireSale(programId, saleId);
    expectVersion(sale, expectedVersions);
    if (sale.payoutBatchId !== null) throw new ApiError('conflict', 'A sale in a payout batch cannot be deleted');
    const writes = await deleteSaleWrites(programId, sale, now);
    await writeTogether([...writes, sales.deletionWrite(programId, sale.id, now)]);
    return sale;
  });
