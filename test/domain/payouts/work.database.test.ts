import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { deletePayoutBatch } from '../../../shared/domain/payouts/delete-payout-batch.ts';
import { incrementPayoutWrite, payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import { finishPreparation } from '../../../shared/domain/payouts/prepare/settle.ts';
import { BatchMovedOn, moveToStep, payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { PayoutMessage, workOnPayoutBatch } from '../../../shared/domain/payouts/steps/work-on-batch.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import {
  at,
  newProgram,
  now,
  storeAdjustment,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { createBatch, deleteBatch, payBatch, prepareBatch, workOnBatch } from '../../support/payout-batches.ts';
import { makeStoredSale, storeQuietSales } from '../../support/sales.ts';

const message = (
  program: TestProgram,
  batchId: string,
  task: PayoutMessage['task'],
  more: Partial<PayoutMessage> = {},
) => PayoutMessage.parse({ programId: program.id, batchId, task, ...more });

/** A program with a batch and one sale of 10.00, and an adjustment if one is given. */
const setUp = async (adjustmentMinor?: number) => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const sale = await storeSale(program, affiliate.id, { createdAt: at(-1000) });
  if (adjustmentMinor !== undefined) await storeAdjustment(program, affiliate.id, adjustmentMinor);
  return { program, affiliate, sale };
};

/** The steps, phases and rounds of all messages, in their order. */
const messagesOf = async (program: TestProgram, batchId: string, task: PayoutMessage['task']) => {
  const places: string[] = [];
  let next: PayoutMessage | undefined = message(program, batchId, task);
  while (next) {
    places.push(`${next.step ?? '-'} ${next.phase} ${next.after === undefined ? 'start' : 'on'}`);
    next = (await workOnPayoutBatch(next, now))?.message;
  }
  return places;
};

describe('the work on a batch', () => {
  it('is claimed, settled and summed, message by message', async () => {
    const { program } = await setUp();
    const { id } = await createBatch(program);
    const places = ['- 0 start', 'CLAIMING 1 start', 'SETTLING 0 start', 'SUMMING 0 start'];
    expect(await messagesOf(program, id, 'prepare')).toEqual(places);
    expect(await payoutBatches.get(program.id, id)).toMatchObject({ status: 'READY', step: 'DONE', saleCount: 1 });
    expect(await messagesOf(program, id, 'prepare')).toEqual(['- 0 start']);
    // A batch that is not paid has no payouts to settle, and one that exists has no sales to release.
    expect(await messagesOf(program, id, 'pay')).toEqual(['- 0 start']);
    expect(await messagesOf(program, id, 'release')).toEqual(['- 0 start']);
    expect(await payoutBatches.get(program.id, id)).toMatchObject({ status: 'READY', saleCount: 1 });
  });

  it('releases what is too small, in four phases more', async () => {
    const { program, sale } = await setUp(-1000);
    const { id } = await createBatch(program);
    expect((await messagesOf(program, id, 'prepare')).slice(3)).toEqual([
      'RELEASING 0 start',
      'RELEASING 1 start',
      'RELEASING 2 start',
      'RELEASING 3 start',
      'SUMMING 0 start',
    ]);
    expect(await payoutBatches.get(program.id, id)).toMatchObject({ status: 'NO_TRANSACTIONS', payoutCount: 0 });
    expect((await sales.get(program.id, sale.id))?.payoutBatchId).toBeNull();
  });

  it('goes on page by page with more than 500 sales', async () => {
    const { program, affiliate } = await setUp();
    await storeQuietSales(
      program.id,
      Array.from({ length: 500 }, () => makeStoredSale(affiliate.id, { createdAt: at(-1) })),
    );
    const { id } = await createBatch(program);
    const places = await messagesOf(program, id, 'prepare');
    expect(places.slice(0, 3)).toEqual(['- 0 start', 'CLAIMING 0 on', 'CLAIMING 1 start']);
    expect(await payoutBatches.get(program.id, id)).toMatchObject({ saleCount: 501, totalAmountMinor: '501000' });
  });

  it('of an earlier step begins anew, and that of a batch that is gone or moves on ends', async () => {
    const { program, affiliate } = await setUp(-1000);
    const batch = await createBatch(program);
    let next: PayoutMessage | undefined = message(program, batch.id, 'prepare');
    while (next && next.step !== 'SETTLING') next = (await workOnPayoutBatch(next, now))?.message;
    const late = message(program, batch.id, 'prepare', { step: 'CLAIMING', phase: 1, after: 'nowhere', round: 7 });
    const step = { programId: program.id, batchId: batch.id, task: 'prepare', phase: 0, round: 0 };
    // Settled from its first phase on: what is too small is dropped.
    expect(await workOnPayoutBatch(late, now)).toEqual({ message: { ...step, step: 'RELEASING' } });
    expect((await payoutsOf(program.id, batch.id, [affiliate.id])).get(affiliate.id)?.isDropped).toBe(true);
    await expect(moveToStep(program.id, batch, 'SETTLING')).rejects.toBeInstanceOf(BatchMovedOn);
    const gone = message(program, randomUUID(), 'prepare');
    for (const task of ['prepare', 'pay'] as const)
      expect(await workOnPayoutBatch({ ...gone, task }, now)).toBeUndefined();
    await expect(finishPreparation(program.id, randomUUID(), now)).rejects.toBeInstanceOf(BatchMovedOn);
  });

  it('race: of a batch that is deleted in between ends, and takes no sale', async () => {
    const { program, sale } = await setUp();
    const { id } = await createBatch(program);
    const worked = await interrupted(
      () => workOnPayoutBatch(message(program, id, 'prepare'), now),
      () => deletePayoutBatch(program.id, id, undefined, now),
    );
    expect(worked).toBeUndefined();
    expect((await sales.get(program.id, sale.id))?.payoutBatchId).toBeNull();
  });

  it('race: takes no sale of an affiliate that is deleted in between', async () => {
    const { program, affiliate, sale } = await setUp();
    const { id } = await createBatch(program);
    await interrupted(
      () => workOnPayoutBatch(message(program, id, 'prepare'), now),
      () => writeTogether(affiliates.deleteWrites(program.id, affiliate).slice(0, 1)),
    );
    expect((await sales.get(program.id, sale.id))?.payoutBatchId).toBeNull();
  });
});

describe('an index that lags', () => {
  type Hidden = 'saleCount' | 'adjustmentCount';
  /** The payout has a sale or an adjustment that no index shows. */
  const hide = (program: TestProgram, batchId: string, affiliateId: string, hidden: Hidden) =>
    writeTogether([incrementPayoutWrite(program.id, batchId, affiliateId, { [hidden]: 1 })]);

  it.each<[PayoutMessage['task'], Hidden]>([
    ['pay', 'saleCount'],
    ['pay', 'adjustmentCount'],
    ['release', 'saleCount'],
    ['release', 'adjustmentCount'],
  ])('makes the work wait 10 s and begin anew, 30 times at most: %s, of a hidden %s', async (task, hidden) => {
    const { program, affiliate } = await setUp(-100);
    const batch = await prepareBatch(program);
    await hide(program, batch.id, affiliate.id, hidden);
    if (task === 'pay') await payBatch(program, batch).catch(() => undefined);
    else await deletePayoutBatch(program.id, batch.id, undefined, now);
    const last = task === 'pay' ? 2 : 3;
    for (const phase of Array.from({ length: last }, (_, before) => before))
      await workOnPayoutBatch(message(program, batch.id, task, { phase }), now);
    const waiting = { phase: 0, round: 5, task, programId: program.id, batchId: batch.id };
    expect(await workOnPayoutBatch(message(program, batch.id, task, { phase: last, round: 4 }), now)).toEqual({
      message: { ...waiting, after: undefined },
      delaySeconds: 10,
    });
    const tooLate = workOnPayoutBatch(message(program, batch.id, task, { phase: last, round: 30 }), now);
    await expect(tooLate).rejects.toThrow('Payouts of batch');
    expect((await payoutsOf(program.id, batch.id, [affiliate.id])).size).toBe(1);
  });
});

describe('a batch beside others', () => {
  it('pays and releases what is its own alone', async () => {
    const { program, affiliate, sale } = await setUp();
    const paid = await prepareBatch(program);
    const second = await storeSale(program, affiliate.id, { createdAt: at(-1) });
    const kept = await prepareBatch(program);
    await payBatch(program, paid);
    const paidAtOf = async (id: string) => (await sales.get(program.id, id))?.paidAt;
    expect([await paidAtOf(sale.id), await paidAtOf(second.id)]).toEqual([at(0), null]);
    const { version } = (await sales.get(program.id, sale.id)) ?? {};
    await workOnBatch(program, paid.id, 'pay');
    expect((await sales.get(program.id, sale.id))?.version).toBe(version);
    await deleteBatch(program, kept);
    expect((await sales.get(program.id, second.id))?.payoutBatchId).toBeNull();
    expect(await sales.get(program.id, sale.id)).toMatchObject({ payoutBatchId: paid.id, paidAt: at(0) });
  });

  it('releases the small payouts alone, and keeps the others', async () => {
    const { program, affiliate, sale } = await setUp();
    const small = await storeAffiliate(program);
    const smallSale = await storeSale(program, small.id, { createdAt: at(-1), commissionEarnedMinor: 999 });
    const owed = await storeAdjustment(program, small.id, -1);
    const batch = await prepareBatch(program, { minimumAmount: 10 });
    expect(batch).toMatchObject({ status: 'READY', payoutCount: 1, saleCount: 1, totalAmountMinor: '1000' });
    expect((await sales.get(program.id, sale.id))?.payoutBatchId).toBe(batch.id);
    expect((await sales.get(program.id, smallSale.id))?.payoutBatchId).toBeNull();
    expect((await adjustments.get(program.id, owed.id))?.payoutBatchId).toBeNull();
    expect([...(await payoutsOf(program.id, batch.id, [affiliate.id, small.id])).keys()]).toEqual([affiliate.id]);
  });
});
