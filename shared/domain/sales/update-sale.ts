import { ApiError, fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updateSale as operation } from '../../contract/sales.ts';
import { boundedMinor } from '../../platform/money/money.ts';
import { editRecord, sentFields } from '../../platform/table/edit.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { affiliates } from '../affiliates/repository.ts';
import { customerOf, orderCount } from '../attribution/customers.ts';
import { sales } from './repository.ts';
import { reviewOfChangedEmail } from './review-rules.ts';
import { adjustedMinor, commissionOfSale, type StoredSale, statusOf } from './rules.ts';
import { storedSaleId } from './sale-id.ts';

export const requireSale = async (programId: string, saleId: number): Promise<StoredSale> => {
  const sale = await sales.get(programId, storedSaleId(saleId));
  if (!sale) throw new ApiError('not_found', 'Sale not found');
  return sale;
};

/** Of a sale without one of its own. docs/behavior.md#null-in-updates */
const rateThatApplies = async (
  program: { id: string; commissionRate: number },
  { affiliateId }: StoredSale,
): Promise<number> => {
  if (affiliateId === null) return 0;
  return (await affiliates.get(program.id, affiliateId))?.commissionRate ?? program.commissionRate;
};

const changedSale = (
  sale: StoredSale,
  { saleId: _saleId, totalEarned, ...fields }: BodyOf<typeof operation>,
  { currency, commissionRate }: { currency: string; commissionRate: number },
  now: Date,
): StoredSale => {
  const totalEarnedMinor =
    totalEarned === undefined ? sale.totalEarnedMinor : boundedMinor('totalEarned', totalEarned, currency);
  const given = sentFields(fields);
  const { name, email }: Pick<StoredSale, 'name' | 'email'> = { ...sale, ...given };
  return {
    ...sale,
    ...given,
    searchWords: searchWordsOf({ name, email }),
    updatedAt: now.toISOString(),
    totalEarnedMinor,
    status: statusOf(totalEarnedMinor, sale.refundedAmountMinor),
    commissionRate,
    commissionEarnedMinor: commissionOfSale({ ...sale, totalEarnedMinor, commissionRate }) + adjustedMinor(sale),
  };
};

/** 409 for the amounts of a sale in a payout batch. docs/behavior.md#updating-a-sale */
export const updateSale = (
  program: { id: string; currency: string; commissionRate: number; reviewsSales?: boolean | undefined },
  body: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredSale> => {
  const { id: programId, currency } = program;
  return editRecord(
    sales,
    { programId, id: storedSaleId(body.saleId), noun: 'Sale', expectedVersions },
    async (sale) => {
      if (sale.affiliateId === null && body.commissionRate)
        throw fieldError(
          'commissionRate',
          'commissionRate must be 0 for a sale that no affiliate gets a commission for',
        );
      const { commissionRate: sent = sale.commissionRate } = body;
      const commissionRate = sent ?? (await rateThatApplies(program, sale));
      let changed = changedSale(sale, body, { currency, commissionRate }, now);
      const movesAmounts =
        changed.totalEarnedMinor !== sale.totalEarnedMinor || changed.commissionRate !== sale.commissionRate;
      if (movesAmounts && sale.payoutBatchId !== null)
        throw new ApiError(
          'conflict',
          'The sale is in a payout batch and keeps its amounts. A refund makes an adjustment.',
        );
      // A sale in a batch keeps the commission that entered the batch.
      if (sale.payoutBatchId !== null) changed = { ...changed, commissionEarnedMinor: sale.commissionEarnedMinor };
      if (changed.totalEarnedMinor < sale.refundedAmountMinor || changed.totalEarnedMinor === 0)
        throw fieldError('totalEarned', 'totalEarned must be above 0 and not below what was refunded');
      if (changed.email !== sale.email) changed = { ...changed, ...(await reviewOfChangedEmail(program, changed)) };
      const [customerBefore, customer] = [customerOf(sale), customerOf(changed)];
      const movesCustomer = customer !== customerBefore;
      return {
        after: changed,
        writes: [
          ...(movesCustomer && customerBefore ? [orderCount(programId, customerBefore, -1)] : []),
          ...(movesCustomer && customer ? [orderCount(programId, customer, 1)] : []),
        ],
      };
    },
  );
};
