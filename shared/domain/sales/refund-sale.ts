import { fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { refundSale as operation } from '../../contract/sales.ts';
import { fromMinor, positiveMinor } from '../../platform/money/money.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { adjustmentWrites } from './adjustments.ts';
import { sales } from './repository.ts';
import { refunded, type StoredSale } from './rules.ts';
import { requireSale } from './update-sale.ts';

interface RefundProgram {
  id: string;
  currency: string;
}

/** Writes a refund of the sale as it was read, and returns the sale after it. 400 for more than is left. */
export const writeRefund = async (
  { id: programId, currency }: RefundProgram,
  sale: StoredSale,
  amountMinor: number,
  now: Date,
  others: readonly Write[] = [],
): Promise<StoredSale> => {
  const leftMinor = sale.totalEarnedMinor - sale.refundedAmountMinor;
  if (amountMinor > leftMinor)
    throw fieldError('amount', `amount must be at most ${fromMinor(leftMinor, currency)}, which is what is left`);
  const after = refunded(sale, amountMinor, now);
  await writeTogether([
    ...sales.updateWrites(programId, sale, after.sale),
    ...(await adjustmentWrites(programId, sale, after.adjustmentMinor, now)),
    ...others,
  ]);
  return { ...after.sale, version: sale.version + 1 };
};

/** A full refund that is repeated returns `alreadyRefunded`. docs/behavior.md#refunds */
export const refundSale = (
  program: RefundProgram,
  body: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<{ sale: StoredSale; alreadyRefunded: boolean }> =>
  retryOnConflict(async () => {
    const sale = await requireSale(program.id, body.saleId);
    expectVersion(sale, expectedVersions);
    if (sale.status === 'REFUNDED') return { sale, alreadyRefunded: true };
    const amountMinor =
      body.amount == null
        ? sale.totalEarnedMinor - sale.refundedAmountMinor
        : positiveMinor('amount', body.amount, program.currency);
    return { sale: await writeRefund(program, sale, amountMinor, now, recordCreated(sale.id)), alreadyRefunded: false };
  });
