import { describe, expect, it } from 'vitest';
import { updatePayoutBatch as batchUpdate } from '../../../shared/contract/payout-batches.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { deletePayoutBatch } from '../../../shared/domain/payouts/delete-payout-batch.ts';
import {
  deleteEmptyPayoutWrite,
  dropPayoutWrite,
  incrementPayoutWrite,
} from '../../../shared/domain/payouts/payouts.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  openAdjustmentsIn,
  outcomeOf,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { createBatch, prepareBatch, workOnBatch } from '../../support/payout-batches.ts';
import { payoutOf, setUp } from './batch-of-one-sale.ts';

describe('race: a message that comes twice at once', () => {
  it.each([1, 2, 3, 4, 5, 6])('leaves a batch the same, overtaken at its write %i', async (write) => {
    const { program, affiliate } = await setUp();
    const debtor = await storeAffiliate(program);
    await storeSale(program, debtor.id, { createdAt: at(-1), commissionEarnedMinor: 1 });
    const { id } = await createBatch(program, { minimumAmount: 5 });
    const all = () => workOnBatch(program, id, 'prepare');
    await interrupted(all, all, write);
    expect(await payoutBatches.get(program.id, id)).toMatchObject({
      status: 'READY',
      payoutCount: 1,
      saleCount: 1,
      totalAmountMinor: '1000',
    });
    expect(await payoutOf(program, { id }, debtor)).toBeUndefined();
    expect(await payoutOf(program, { id }, affiliate)).toMatchObject({ saleCount: 1, amountMinor: 1000n });
  });

  it.each([1, 2])('pays each sale once, overtaken at its write %i', async (write) => {
    const { program, affiliate, stored } = await setUp();
    const batch = await prepareBatch(program);
    await updatePayoutBatch(
      program.id,
      bodyOf(batchUpdate, { payoutBatchId: batch.id, status: 'PAID' }),
      undefined,
      now,
    );
    const all = () => workOnBatch(program, batch.id, 'pay');
    await interrupted(all, all, write);
    expect(await stored()).toMatchObject({ paidAt: at(0), payoutBatchId: batch.id });
    expect(await payoutOf(program, batch, affiliate)).toMatchObject({ paidCount: 1 });
  });

  it.each([1, 2])('releases each sale once, overtaken at its write %i', async (write) => {
    const { program, affiliate, stored } = await setUp();
    const batch = await prepareBatch(program);
    await deletePayoutBatch(program.id, batch.id, undefined, now);
    const all = () => workOnBatch(program, batch.id, 'release');
    await interrupted(all, all, write);
    expect(await stored()).toMatchObject({ payoutBatchId: null });
    expect(await payoutOf(program, batch, affiliate)).toBeUndefined();
    expect(await outcomeOf(() => deleteAffiliate(program.id, affiliate.id, undefined, now))).toBe('accepted');
  });

  it('folds an adjustment into its sale once', async () => {
    const { program, sale, stored } = await setUp();
    const batch = await prepareBatch(program);
    await refundSale(program, { saleId: Number(sale.id), amount: 40 }, undefined, now);
    await deletePayoutBatch(program.id, batch.id, undefined, now);
    const all = () => workOnBatch(program, batch.id, 'release');
    // The first write releases the sale, the second folds.
    await interrupted(all, all, 2);
    expect(await stored()).toMatchObject({ commissionEarnedMinor: 600, refundedAmountMinor: 4000 });
    expect(await openAdjustmentsIn(program)).toEqual([]);
  });
});

describe('a payout', () => {
  const gone = (program: TestProgram) => [program.id, 'batch', 'affiliate'] as const;

  it('that is gone does not come back by a late count or a late drop', async () => {
    const program = newProgram();
    for (const write of [incrementPayoutWrite(...gone(program), { saleCount: -1 }), dropPayoutWrite(...gone(program))])
      await expect(writeTogether([write])).rejects.toThrow(ConcurrentModificationError);
    expect(await payoutOf(program, { id: 'batch' }, { id: 'affiliate' })).toBeUndefined();
  });

  it.each([
    { sums: { saleCount: 1, amountMinor: 5n }, isDeleted: false },
    { sums: { adjustmentCount: 1, amountMinor: 5n }, isDeleted: false },
    { sums: { saleCount: 0, adjustmentCount: 0, amountMinor: 5n }, isDeleted: true },
    { sums: { amountMinor: 5n }, isDeleted: true },
  ])('with $sums is deleted as an empty one: $isDeleted', async ({ sums, isDeleted }) => {
    const program = newProgram();
    await writeTogether([incrementPayoutWrite(...gone(program), sums, { opens: true })]);
    const deletion = writeTogether([deleteEmptyPayoutWrite(...gone(program))]);
    if (isDeleted) await deletion;
    else await expect(deletion).rejects.toThrow(ConcurrentModificationError);
    expect((await payoutOf(program, { id: 'batch' }, { id: 'affiliate' })) === undefined).toBe(isDeleted);
  });
});
