import { describe, expect, it } from 'vitest';
import { updatePayoutBatch as updateOperation } from '../../../shared/contract/payout-batches.ts';
import { updateSale as updateSaleOperation } from '../../../shared/contract/sales.ts';
import { deletePayoutBatch } from '../../../shared/domain/payouts/delete-payout-batch.ts';
import { payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import type { StoredPayoutBatch } from '../../../shared/domain/payouts/rules.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  openAdjustmentsIn,
  outcomeOf,
  storeAdjustment,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { createBatch, deleteBatch, payBatch, prepareBatch, workOnBatch } from '../../support/payout-batches.ts';
import { withSales } from './with-sales.ts';

describe('an adjustment', () => {
  it('is taken off the payout of its affiliate', async () => {
    const { program, affiliate } = await withSales({}, {});
    const { id } = await storeAdjustment(program, affiliate.id, -300);
    const batch = await prepareBatch(program);
    expect(batch).toMatchObject({ saleCount: 2, totalAmountMinor: '1700' });
    expect((await payoutsOf(program.id, batch.id, [affiliate.id])).get(affiliate.id)).toMatchObject({
      amountMinor: 1700n,
      adjustmentCount: 1,
    });
    expect((await adjustments.get(program.id, id))?.payoutBatchId).toBe(batch.id);
  });

  it.each([-300, 300])('of an affiliate without sales in the batch stays open: %i', async (amountMinor) => {
    const { program } = await withSales({});
    const other = await storeAffiliate(program);
    const { id } = await storeAdjustment(program, other.id, amountMinor);
    expect((await prepareBatch(program)).totalAmountMinor).toBe('1000');
    expect((await openAdjustmentsIn(program)).map((open) => open.id)).toEqual([id]);
  });

  it('stays open with the sales that it uses up', async () => {
    const { program, affiliate, batchIdsOfSales } = await withSales({});
    await storeAdjustment(program, affiliate.id, -1000);
    await prepareBatch(program);
    expect(await batchIdsOfSales()).toEqual([null]);
    expect(await openAdjustmentsIn(program)).toHaveLength(1);
  });

  it('of a refund in a paid batch is taken off the next one', async () => {
    const { program, affiliate, sales: made } = await withSales({});
    await payBatch(program, await prepareBatch(program));
    await refundSale(program, { saleId: Number(made[0]?.id), amount: 40 }, undefined, now);
    await storeSale(program, affiliate.id, { createdAt: at(-1) });
    expect(await prepareBatch(program)).toMatchObject({ saleCount: 1, totalAmountMinor: '600' });
  });
});

describe('paying a batch', () => {
  const updated = (
    program: TestProgram,
    payoutBatchId: string,
    change: { status?: StoredPayoutBatch['status']; name?: string | null },
    versions?: number[],
  ) => updatePayoutBatch(program.id, bodyOf(updateOperation, { payoutBatchId, ...change }), versions, now);

  it('stamps the batch, its sales and its adjustments', async () => {
    const { program, affiliate, sales: made } = await withSales({}, {});
    const adjustment = await storeAdjustment(program, affiliate.id, -300);
    const batch = await prepareBatch(program);
    await payBatch(program, batch);
    expect(await payoutBatches.get(program.id, batch.id)).toMatchObject({ status: 'PAID', paidAt: at(0) });
    for (const { id } of made) expect(await sales.get(program.id, id)).toMatchObject({ paidAt: at(0) });
    expect(await adjustments.get(program.id, adjustment.id)).toMatchObject({ paidAt: at(0) });
    const payout = (await payoutsOf(program.id, batch.id, [affiliate.id])).get(affiliate.id);
    expect(payout?.paidCount).toBe(3);
  });

  it('is possible once, and only where the batch is READY', async () => {
    const { program } = await withSales({});
    const preparing = await createBatch(program);
    const conflict = { status: 409 };
    const messageOf = (status: 'READY' | 'PAID') =>
      updated(program, preparing.id, { status }).catch(({ message }: Error) => message);
    expect(await messageOf('PAID')).toMatch(
      /^The payout batch is PREPARING\. The only change .* from READY to PAID\.$/,
    );
    expect(await outcomeOf(() => updated(program, preparing.id, { status: 'PAID' }))).toEqual(conflict);
    await workOnBatch(program, preparing.id, 'prepare');
    expect(await messageOf('READY')).toMatch(/^The payout batch is READY already\. /);
    expect(await outcomeOf(() => updated(program, preparing.id, { status: 'PAID' }))).toBe('accepted');
    expect(await messageOf('PAID')).toMatch(/^The payout batch is PAID already\. /);
    expect(await outcomeOf(() => updated(program, preparing.id, { status: 'PAID' }))).toEqual(conflict);
    const empty = await prepareBatch(program);
    expect(await outcomeOf(() => updated(program, empty.id, { status: 'PAID' }))).toEqual(conflict);
  });

  it('race: of ten that ask for it at once one is accepted', async () => {
    const { program } = await withSales({});
    const { id } = await prepareBatch(program);
    const asked = Array.from({ length: 10 }, () => outcomeOf(() => updated(program, id, { status: 'PAID' })));
    const refused = (await Promise.all(asked)).filter((outcome) => outcome !== 'accepted');
    expect(refused).toEqual(Array(9).fill({ status: 409 }));
  });

  it.each(['PREPARING', 'READY', 'NO_TRANSACTIONS'] as const)('is no change to %s', async (status) => {
    const { program } = await withSales({});
    const { id } = await prepareBatch(program);
    expect(await outcomeOf(() => updated(program, id, { status }))).toEqual({ status: 409 });
  });

  it('leaves its name to be changed at any time, and nothing else by that', async () => {
    const { program } = await withSales({});
    const batch = await prepareBatch(program);
    await payBatch(program, batch);
    for (const [sent, name] of [
      [' March ', 'March'],
      [null, null],
    ])
      expect(await updated(program, batch.id, { name: sent ?? null })).toMatchObject({ name, status: 'PAID' });
  });

  it.each([
    { offset: 0, outcome: 'accepted' },
    { offset: 1, outcome: { status: 412 } },
  ])('expects its version: one that is $offset off', async ({ offset, outcome }) => {
    const { program } = await withSales({});
    const { id, version } = await prepareBatch(program);
    expect(await outcomeOf(() => updated(program, id, { status: 'PAID' }, [version + offset]))).toEqual(outcome);
  });
});

describe('deleting a batch', () => {
  it('makes its sales and adjustments unpaid again, for another batch', async () => {
    const { program, affiliate, batchIdsOfSales } = await withSales({}, {});
    await storeAdjustment(program, affiliate.id, -300);
    const batch = await prepareBatch(program);
    await deleteBatch(program, batch);
    expect(await batchIdsOfSales()).toEqual([null, null]);
    expect(await openAdjustmentsIn(program)).toHaveLength(1);
    expect(await payoutsOf(program.id, batch.id, [affiliate.id])).toEqual(new Map());
    expect(await prepareBatch(program)).toMatchObject({ saleCount: 2, totalAmountMinor: '1700' });
  });

  it('folds the refunds made meanwhile into its sales', async () => {
    const { program, sales: made } = await withSales({});
    const batch = await prepareBatch(program);
    await refundSale(program, { saleId: Number(made[0]?.id), amount: 40 }, undefined, now);
    await deleteBatch(program, batch);
    expect(await sales.get(program.id, made[0]?.id ?? '')).toMatchObject({ commissionEarnedMinor: 600 });
    expect(await openAdjustmentsIn(program)).toEqual([]);
  });

  it('leaves sums exact through refunds before and after it, an edit and a deletion', async () => {
    const { program, sales: made } = await withSales({}, {}, {}, {});
    const ids = made.map(({ id }) => Number(id));
    const [whole = 0, refunded = 0, edited = 0, deleted = 0] = ids;
    const refund = (saleId: number, amount?: number) =>
      refundSale(program, { saleId, ...(amount && { amount }) }, undefined, now);
    const batch = await prepareBatch(program);
    await refund(whole);
    for (const saleId of [refunded, edited, deleted]) await refund(saleId, 50);
    await deleteBatch(program, batch);
    await refund(refunded, 20);
    await updateSale(program, bodyOf(updateSaleOperation, { saleId: edited, totalEarned: 250 }), undefined, now);
    await deleteSale(program.id, deleted, undefined, now);
    // 3.00 of what is left of the second sale, 20.00 of the third, nothing of the others.
    const next = await prepareBatch(program);
    expect(next).toMatchObject({ saleCount: 2, totalAmountMinor: '2300' });
    await payBatch(program, next);
    const nowhere = { status: 'REFUNDED', commissionEarnedMinor: 0, payoutBatchId: null, paidAt: null };
    expect(await sales.get(program.id, made[0]?.id ?? '')).toMatchObject(nowhere);
  });

  it.each([
    { offset: 0, outcome: 'accepted' },
    { offset: 1, outcome: { status: 412 } },
  ])('expects its version: one that is $offset off', async ({ offset, outcome }) => {
    const { program } = await withSales({});
    const { id, version } = await prepareBatch(program);
    const remove = () => deletePayoutBatch(program.id, id, [version + offset], new Date());
    expect(await outcomeOf(remove)).toEqual(outcome);
  });

  it.each([
    { status: 'PREPARING', outcome: 'accepted' },
    { status: 'READY', outcome: 'accepted' },
    { status: 'NO_TRANSACTIONS', outcome: 'accepted' },
    { status: 'PAID', outcome: { status: 409 } },
  ])('that is $status', async ({ status, outcome }) => {
    const { program } = await withSales(...(status === 'NO_TRANSACTIONS' ? [] : [{}]));
    const batch = status === 'PREPARING' ? await createBatch(program) : await prepareBatch(program);
    if (status === 'PAID') await payBatch(program, batch);
    expect((await payoutBatches.get(program.id, batch.id))?.status).toBe(status);
    expect(await outcomeOf(() => deletePayoutBatch(program.id, batch.id, undefined, new Date()))).toEqual(outcome);
  });

  it('of another program is refused', async () => {
    const { program } = await withSales({});
    const { id } = await prepareBatch(program);
    expect(await outcomeOf(() => deletePayoutBatch(newProgram().id, id, undefined, new Date()))).toEqual({
      status: 404,
    });
  });
});
