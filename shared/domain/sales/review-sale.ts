import { ApiError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { reviewSale as operation } from '../../contract/sale-review.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { sales } from './repository.ts';
import { adjustedMinor, commissionOfSale, type StoredSale } from './rules.ts';
import { storedSaleId } from './sale-id.ts';

const statuses = { APPROVE: 'APPROVED', REJECT: 'REJECTED' } as const;

/** A rejected sale keeps its rate, so that it still tells what it would have earned. */
const reviewed = (sale: StoredSale, reviewStatus: 'APPROVED' | 'REJECTED', now: Date): StoredSale => {
  const decided = { ...sale, reviewStatus, updatedAt: now.toISOString() };
  return { ...decided, commissionEarnedMinor: commissionOfSale(decided) + adjustedMinor(sale) };
};

/** The same decision again changes nothing. 404, or 409 for another one and a sale that was not held. docs/behavior.md#review-of-sales */
export const reviewSale = (
  programId: string,
  { saleId, decision }: BodyOf<typeof operation>,
  now: Date,
): Promise<StoredSale> =>
  editRecord(sales, { programId, id: storedSaleId(saleId), noun: 'Sale' }, async (sale) => {
    const status = statuses[decision];
    if (sale.reviewStatus === status) return undefined;
    if (sale.reviewStatus !== null && sale.reviewStatus !== 'HELD')
      throw new ApiError('conflict', `The sale was already ${sale.reviewStatus}, and a decision is final`);
    if (sale.reviewStatus === null) throw new ApiError('conflict', 'The sale is not held for review');
    return { after: reviewed(sale, status, now) };
  });
