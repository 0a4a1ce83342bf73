import { fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { refundSale as operation } from '../../contract/sales.ts';
import { fromMinor, positiveMinor } from '../../platform/money/money.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { adjustmentWrites } from './adjustments.ts';
import { sales } from './repository.ts';
import { refunded, type StoredSale } from './rules.ts';
import { requireSale } from './update-sale.ts';

/** A full refund that is repeated returns `alreadyRefunded`. docs/behavior.md#refunds */
export const refundSale = (
  { id: programId, currency }: { id: string; currency: string },
  body: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<{ sale: StoredSale; alreadyRefunded: boolean }> =>
  retryOnConflict(async () => {
    const sale = await requireSale(programId, body.saleId);
    expectVersion(sale, expectedVersions);
    if (sale.status === 'REFUNDED') return { sale, alreadyRefunded: true };
    const leftMinor = sale.totalEarnedMinor - sale.refundedAmountMinor;
    const amountMinor = body.amount == null ? leftMinor : positiveMinor('amount', body.amount, currency);
    if (amountMinor > leftMinor)
      throw fieldError('amount', `amount must be at most ${fromMinor(leftMinor, currency)}, which is what is left`);
    const after = refunded(sale, amountMinor, now);
    await writeTogether([
      ...sales.updateWrites(programId, sale, after.sale),
      ...(await adjustmentWrites(programId, sale, after.adjustmentMinor, now)),
      ...recordCreated(sale.id),
    ]);
    return { sale: { ...after.sale, version: sale.version + 1 }, alreadyRefunded: false };
  });
