import { ApiError } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { adjustmentWrites } from './adjustments.ts';
import { sales } from './repository.ts';
import { adjustedMinor, type StoredSale } from './rules.ts';
import { requireSale } from './update-sale.ts';

/**
 * Deletes a sale as it was read: one that went into a payout batch since then has changed and stays. What adjustments
 * take back of its commission is made up for, since the commission itself will not be paid. The totals worker takes the
 * sale off its customer's orders.
 */
export const saleRemoval = async (programId: string, sale: StoredSale, now: Date): Promise<Write[]> => [
  ...sales.removal(programId, sale),
  ...(await adjustmentWrites(programId, sale, adjustedMinor(sale), now)),
];

/** Deletes a sale; 409 when it is in a payout batch. Decisions, "/sales". */
export const deleteSale = (
  programId: string,
  saleId: number,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredSale> =>
  whileChanging(async () => {
    const sale = await requireSale(programId, saleId);
    expectVersion(sale, expectedVersions);
    if (sale.payoutBatchId !== null) throw new ApiError('conflict', 'The sale is in a payout batch and stays');
    await writeTogether(await saleRemoval(programId, sale, now));
    return sale;
  });
