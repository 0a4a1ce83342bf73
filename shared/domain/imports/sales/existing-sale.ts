import { isDeepStrictEqual } from 'node:util';
import { ApiError, fieldError } from '../../../contract/errors.ts';
import { fromMinor } from '../../../platform/money/money.ts';
import { retryOnConflict } from '../../../platform/table/edit.ts';
import { writeTogether } from '../../../platform/table/transaction.ts';
import { dayIn } from '../../../platform/time/days.ts';
import { incrementPayoutWrite } from '../../payouts/payouts.ts';
import { writeRefund } from '../../sales/refund-sale.ts';
import { sales } from '../../sales/repository.ts';
import type { StoredSale } from '../../sales/rules.ts';
import { requireSale, updateSale } from '../../sales/update-sale.ts';
import type { ImportContext } from '../import-row.ts';
import { keptField } from '../refusals.ts';
import type { Credit } from './credit.ts';
import { ensureImportedBatch } from './imported-batches.ts';
import { amountsOf, importedBatchOf } from './new-sale.ts';
import type { IdentifiedRow } from './sale-row.ts';

type EditedField = 'name' | 'email' | 'totalEarned' | 'commissionRate' | 'externalInvoiceId' | 'metadata';

/** The fields that an edit can change, where the row gives them otherwise. */
const editOf = ({ currency }: ImportContext['program'], sale: StoredSale, { body, given }: IdentifiedRow) => {
  const shown: Record<EditedField, unknown> = {
    name: sale.name,
    email: sale.email,
    totalEarned: fromMinor(sale.totalEarnedMinor, currency),
    commissionRate: sale.commissionRule?.type === 'FLAT' ? null : sale.commissionRate,
    externalInvoiceId: sale.externalInvoiceId,
    metadata: sale.metadata,
  };
  const names = Object.keys(shown) as EditedField[];
  const changed = names.filter((name) => given.has(name) && !isDeepStrictEqual(body[name] ?? null, shown[name]));
  return changed.length === 0
    ? undefined
    : (Object.fromEntries(changed.map((name) => [name, body[name]])) as { [Name in EditedField]?: never });
};

/** Refunds what is missing to the total of the row, of the sale as it is then; returns whether anything was. */
const refundImported = (context: ImportContext, saleId: number, totalMinor: number, at: Date): Promise<boolean> =>
  retryOnConflict(async () => {
    const sale = await requireSale(context.program.id, saleId);
    const missingMinor = totalMinor - sale.refundedAmountMinor;
    if (missingMinor < 0) throw keptField('refundedAmount');
    if (missingMinor > 0) await writeRefund(context.program, sale, missingMinor, at);
    return missingMinor > 0;
  });

/** Moves a sale that nobody has paid into the batch of the day on which it was paid elsewhere. */
const payImported = (context: ImportContext, saleId: string, paidAt: string): Promise<void> =>
  retryOnConflict(async () => {
    const { program, now } = context;
    const sale = await requireSale(program.id, Number(saleId));
    const { affiliateId } = sale;
    if (affiliateId === null) throw fieldError('paidAt', 'paidAt needs an affiliate who was paid');
    const batch = importedBatchOf(program, paidAt);
    // Another worker has imported this row since it was read.
    if (sale.payoutBatchId === batch.id) return;
    if (sale.reviewStatus === 'HELD')
      throw fieldError('paidAt', 'The sale is held for review. Approve or reject it, then import its paidAt');
    if (sale.payoutBatchId !== null)
      throw new ApiError('conflict', 'The sale is in a payout batch of this program, which pays it', {
        details: [{ path: 'paidAt', message: 'paidAt cannot be set: the sale is in a payout batch of this program' }],
      });
    await ensureImportedBatch(context, paidAt);
    const paid = { ...sale, payoutBatchId: batch.id, paidAt, updatedAt: now.toISOString() };
    const sums = { amountMinor: BigInt(sale.commissionEarnedMinor), saleCount: 1, paidCount: 1 };
    await writeTogether([
      ...sales.updateWrites(program.id, sale, paid),
      incrementPayoutWrite(program.id, batch.id, affiliateId, sums, { opens: true }),
    ]);
  });

/** Brings a sale up to what its row says; returns whether something differed. Throws for what cannot change. docs/behavior.md#imports */
export const updateImportedSale = async (
  context: ImportContext,
  sale: StoredSale,
  row: IdentifiedRow,
  { affiliate }: Credit,
): Promise<boolean> => {
  const { program, now } = context;
  const { body } = row;
  if (affiliate && affiliate.id !== sale.affiliateId)
    throw fieldError('externalId', 'The sale that exists belongs to another affiliate');
  const { refundedAmountMinor } = amountsOf(program, body);
  const isPaid = body.paidAt != null && sale.paidAt === null;
  if (body.paidAt && sale.paidAt && dayIn(program.timeZone, body.paidAt) !== dayIn(program.timeZone, sale.paidAt))
    throw keptField('paidAt');
  const moreRefunded = body.refundedAmount == null ? 0 : refundedAmountMinor - sale.refundedAmountMinor;
  if (moreRefunded < 0) throw keptField('refundedAmount');
  const edit = editOf(program, sale, row);
  const saleId = Number(sale.id);
  if (edit) await updateSale(program, { ...edit, saleId }, undefined, now);
  // A refund of a paid sale becomes an adjustment, so it comes before the payout, as it was.
  const refundedAt = new Date(body.refundedAt ?? now);
  const isRefunded = moreRefunded > 0 && (await refundImported(context, saleId, refundedAmountMinor, refundedAt));
  if (isPaid && body.paidAt) await payImported(context, sale.id, body.paidAt);
  return edit !== undefined || isRefunded || isPaid;
};
