import { ApiError, fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updateSale as operation } from '../../contract/sales.ts';
import { boundedMinor } from '../../platform/money/money.ts';
import { editRecord, sentFields } from '../../platform/table/edit.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { affiliates } from '../affiliates/repository.ts';
import { customerOf, orderLostWrite, orderWrite } from '../attribution/customers.ts';
import { type EarningProgram, earningOf, readCommissionInputs } from '../commissions/earning.ts';
import { percent, type StoredCommissionRule, type Terms } from '../commissions/rules.ts';
import { sales } from './repository.ts';
import { reviewOfChangedEmail } from './review-rules.ts';
import { adjustedMinor, commissionOfSale, dayOfSale, type StoredSale, statusOf } from './rules.ts';
import { storedSaleId } from './sale-id.ts';

export const requireSale = async (programId: string, saleId: number): Promise<StoredSale> => {
  const sale = await sales.get(programId, storedSaleId(saleId));
  if (!sale) throw new ApiError('not_found', 'Sale not found');
  return sale;
};

interface Decided {
  totalEarnedMinor: number;
  commissionRule: StoredCommissionRule | null;
  commissionRate: number;
}

/** A paid sale outlives its affiliate. */
const affiliateOrNoTerms = async (programId: string, id: string) =>
  (await affiliates.get(programId, id)) ?? { id, commissionRate: null, groupId: null };

/** By the rate that was sent, which is the sale's own, or by what applies now without one. docs/behavior.md#updating-a-sale */
const decideAgain = async (
  program: EarningProgram,
  sale: StoredSale,
  totalEarnedMinor: number,
  commissionRate: number | null,
  now: Date,
): Promise<Decided> => {
  const { affiliateId } = sale;
  if (affiliateId === null && commissionRate)
    throw fieldError('commissionRate', 'commissionRate must be 0 for a sale that no affiliate gets a commission for');
  const inputs = readCommissionInputs(program, now);
  const affiliate = affiliateId === null ? undefined : await affiliateOrNoTerms(program.id, affiliateId);
  const productIds = sale.productsBought.map(({ productId }) => productId);
  const toEarn = { ...sale, totalEarnedMinor, commissionRate, day: dayOfSale(sale), productIds };
  const decided = await earningOf(program, { ...toEarn, customer: customerOf(sale) }, affiliate, inputs);
  return { totalEarnedMinor, commissionRule: decided.commissionRule, commissionRate: decided.commissionRate };
};

const termsOf = ({ commissionRule, commissionRate }: Decided): Terms => commissionRule ?? percent(commissionRate);

const movesAmounts = (sale: StoredSale, decided: Decided): boolean => {
  const [was, is] = [termsOf(sale), termsOf(decided)];
  return (
    decided.totalEarnedMinor !== sale.totalEarnedMinor || was.rate !== is.rate || was.amountMinor !== is.amountMinor
  );
};

const termsKept = ({ commissionRule, commissionRate }: StoredSale) => ({ commissionRule, commissionRate });

const changedSale = (
  sale: StoredSale,
  { saleId: _saleId, totalEarned: _total, commissionRate: _rate, ...fields }: BodyOf<typeof operation>,
  decided: Decided,
  now: Date,
): StoredSale => {
  const given = sentFields(fields);
  const { name, email }: Pick<StoredSale, 'name' | 'email'> = { ...sale, ...given };
  const changed = { ...sale, ...given, ...decided };
  return {
    ...changed,
    searchWords: searchWordsOf({ name, email }),
    updatedAt: now.toISOString(),
    status: statusOf(changed.totalEarnedMinor, sale.refundedAmountMinor),
    // A sale in a batch keeps the commission that entered the batch.
    commissionEarnedMinor:
      sale.payoutBatchId === null ? commissionOfSale(changed) + adjustedMinor(sale) : sale.commissionEarnedMinor,
  };
};

/** 409 for the amounts of a sale in a payout batch. docs/behavior.md#updating-a-sale */
export const updateSale = (
  program: EarningProgram & { reviewsSales?: boolean | undefined },
  body: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredSale> => {
  const { id: programId, currency } = program;
  return editRecord(
    sales,
    { programId, id: storedSaleId(body.saleId), noun: 'Sale', expectedVersions },
    async (sale) => {
      const { totalEarned, commissionRate, email = sale.email } = body;
      const totalEarnedMinor =
        totalEarned === undefined ? sale.totalEarnedMinor : boundedMinor('totalEarned', totalEarned, currency);
      if (totalEarnedMinor < sale.refundedAmountMinor || totalEarnedMinor === 0)
        throw fieldError('totalEarned', 'totalEarned must be above 0 and not below what was refunded');
      const decided =
        commissionRate === undefined
          ? { ...termsKept(sale), totalEarnedMinor }
          : await decideAgain(program, { ...sale, email }, totalEarnedMinor, commissionRate, now);
      if (sale.payoutBatchId !== null && movesAmounts(sale, decided))
        throw new ApiError(
          'conflict',
          'The sale is in a payout batch and keeps its amounts. A refund makes an adjustment.',
        );
      const edited = changedSale(sale, body, decided, now);
      const review = edited.email === sale.email ? undefined : await reviewOfChangedEmail(program, edited);
      const changed = { ...edited, ...review };
      const [customerBefore, customer] = [customerOf(sale), customerOf(changed)];
      const movesCustomer = customer !== customerBefore;
      return {
        after: changed,
        writes: [
          ...(movesCustomer && customerBefore ? [orderLostWrite(programId, customerBefore)] : []),
          ...(movesCustomer && customer ? [orderWrite(programId, customer, sale.createdAt)] : []),
        ],
      };
    },
  );
};
