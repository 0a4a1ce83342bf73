import { describe, expect, it } from 'vitest';
import { updatePayoutBatch as batchUpdate } from '../../../shared/contract/payout-batches.ts';
import { updateSale as saleUpdate } from '../../../shared/contract/sales.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { deleteReferral } from '../../../shared/domain/deletions/delete-referral.ts';
import { deletePayoutBatch } from '../../../shared/domain/payouts/delete-payout-batch.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { workOnPayoutBatch } from '../../../shared/domain/payouts/steps/work-on-batch.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import {
  at,
  bodyOf,
  now,
  openAdjustmentsIn,
  outcomeOf,
  storeAdjustment,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { createBatch, deleteBatch, payBatch, prepareBatch, workOnBatch } from '../../support/payout-batches.ts';
import { payoutOf, setUp } from './batch-of-one-sale.ts';

/** The work of one message of a batch. */
const work = (
  { id: programId }: TestProgram,
  { id: batchId }: { id: string },
  task: 'prepare' | 'pay' | 'release',
  phase = 0,
  step?: 'CLAIMING' | 'SETTLING' | 'RELEASING' | 'SUMMING',
) => workOnPayoutBatch({ programId, batchId, task, phase, round: 0, ...(step && { step }) }, now);

describe('race: while a batch takes a sale,', () => {
  it.each<{
    is: string;
    act: (program: TestProgram, sale: StoredSale) => Promise<unknown>;
    amountMinor: bigint | undefined;
  }>([
    {
      is: 'the sale is edited: the new commission counts',
      act: (program, { id }) =>
        updateSale(program, bodyOf(saleUpdate, { saleId: Number(id), totalEarned: 200 }), undefined, now),
      amountMinor: 2000n,
    },
    {
      is: 'the sale is refunded in full: it stays out',
      act: (program, { id }) => refundSale(program, { saleId: Number(id) }, undefined, now),
      amountMinor: undefined,
    },
    {
      is: 'the sale is deleted: it stays out',
      act: ({ id: programId }, { id }) => deleteSale(programId, Number(id), undefined, now),
      amountMinor: undefined,
    },
    {
      is: 'another batch takes it: it is in that one',
      act: async (program) => work(program, await createBatch(program), 'prepare'),
      amountMinor: undefined,
    },
    {
      is: 'the affiliate is deleted: it stays out',
      act: ({ id }, { affiliateId }) => deleteAffiliate(id, affiliateId ?? '', undefined, now),
      amountMinor: undefined,
    },
  ])('$is', async ({ act, amountMinor }) => {
    const { program, affiliate, sale } = await setUp();
    const batch = await createBatch(program);
    await interrupted(
      () => work(program, batch, 'prepare'),
      () => act(program, sale),
    );
    expect((await payoutOf(program, batch, affiliate))?.amountMinor).toBe(amountMinor);
  });

  it('the batch is deleted: the sale stays out', async () => {
    const { program, affiliate, stored } = await setUp();
    const batch = await createBatch(program);
    await interrupted(
      () => work(program, batch, 'prepare'),
      () => deletePayoutBatch(program.id, batch.id, undefined, now),
    );
    expect(await payoutOf(program, batch, affiliate)).toBeUndefined();
    expect((await stored())?.payoutBatchId).toBeNull();
  });

  it('another worker has gone on with the batch: nothing is taken late', async () => {
    const { program, affiliate } = await setUp();
    const batch = await createBatch(program);
    await interrupted(
      () => work(program, batch, 'prepare'),
      async () => {
        await workOnBatch(program, batch.id, 'prepare');
        await storeSale(program, affiliate.id, { createdAt: at(-1) });
      },
    );
    expect(await payoutBatches.get(program.id, batch.id)).toMatchObject({ status: 'READY', saleCount: 1 });
    expect((await payoutOf(program, batch, affiliate))?.saleCount).toBe(1);
  });

  it('an adjustment is taken by another batch: it is in one', async () => {
    const { program, affiliate } = await setUp();
    await storeSale(program, affiliate.id, { createdAt: at(-1) });
    const { id } = await storeAdjustment(program, affiliate.id, -300);
    const batch = await createBatch(program);
    await work(program, batch, 'prepare');
    await storeSale(program, affiliate.id, { createdAt: at(-1) });
    const other = await createBatch(program);
    await work(program, other, 'prepare');
    await interrupted(
      () => work(program, batch, 'prepare', 1, 'CLAIMING'),
      () => work(program, other, 'prepare', 1, 'CLAIMING'),
    );
    expect((await adjustments.get(program.id, id))?.payoutBatchId).toBe(other.id);
    expect((await payoutOf(program, batch, affiliate))?.adjustmentCount).toBe(0);
    expect((await payoutOf(program, other, affiliate))?.adjustmentCount).toBe(1);
  });
});

describe('race: while', () => {
  it.each<{ is: string; act: (made: Awaited<ReturnType<typeof setUp>>) => Promise<unknown> }>([
    {
      is: 'a sale is edited',
      act: ({ program, sale }) =>
        updateSale(program, bodyOf(saleUpdate, { saleId: Number(sale.id), totalEarned: 200 }), undefined, now),
    },
    { is: 'a sale is deleted', act: ({ program, sale }) => deleteSale(program.id, Number(sale.id), undefined, now) },
    {
      is: 'its affiliate is deleted',
      act: ({ program, affiliate }) => deleteAffiliate(program.id, affiliate.id, undefined, now),
    },
    {
      is: 'its referral is deleted',
      act: ({ program, referral }) => deleteReferral(program.id, referral.id, undefined, now),
    },
  ])('$is, a batch takes it: that is a conflict, and the sale is in the batch', async (one) => {
    const made = await setUp();
    const outcome = await outcomeOf(() =>
      interrupted(
        () => one.act(made),
        () => prepareBatch(made.program),
      ),
    );
    expect(outcome).toEqual({ status: 409 });
    expect((await made.stored())?.payoutBatchId).not.toBeNull();
  });

  it.each<{ is: string; act: (made: Awaited<ReturnType<typeof setUp>>) => Promise<unknown> }>([
    {
      is: 'an affiliate is deleted',
      act: ({ program, affiliate }) => deleteAffiliate(program.id, affiliate.id, undefined, now),
    },
    {
      is: 'a referral is deleted',
      act: ({ program, referral }) => deleteReferral(program.id, referral.id, undefined, now),
    },
  ])('$is, a new batch takes its sales beside a paid one: that is a conflict', async (one) => {
    const made = await setUp();
    // A batch that is paid, but whose affiliates are still listed.
    const first = await prepareBatch(made.program);
    await updatePayoutBatch(
      made.program.id,
      bodyOf(batchUpdate, { payoutBatchId: first.id, status: 'PAID' }),
      undefined,
      now,
    );
    const outcome = await outcomeOf(() =>
      interrupted(
        () => one.act(made),
        async () => {
          await storeSale(made.program, made.affiliate.id, { createdAt: at(-1), referralId: made.referral.id });
          await prepareBatch(made.program);
        },
      ),
    );
    expect(outcome).toEqual({ status: 409 });
  });

  it('a refund is written, the sale enters a batch: an adjustment takes it back', async () => {
    const { program, sale, stored } = await setUp();
    await interrupted(
      () => refundSale(program, { saleId: Number(sale.id), amount: 40 }, undefined, now),
      () => prepareBatch(program),
    );
    expect(await stored()).toMatchObject({ refundedAmountMinor: 4000, commissionEarnedMinor: 1000 });
    expect((await openAdjustmentsIn(program)).map(({ amountMinor }) => amountMinor)).toEqual([-400]);
  });

  it('a batch is deleted, it is paid: that is a conflict, and it stays', async () => {
    const { program } = await setUp();
    const batch = await prepareBatch(program);
    const outcome = await outcomeOf(() =>
      interrupted(
        () => deleteBatch(program, batch),
        () => payBatch(program, batch),
      ),
    );
    expect(outcome).toEqual({ status: 409 });
    expect((await payoutBatches.get(program.id, batch.id))?.status).toBe('PAID');
  });

  it('a batch is paid, it is deleted: that is a 404, and nothing is paid', async () => {
    const { program, stored } = await setUp();
    const batch = await prepareBatch(program);
    const outcome = await outcomeOf(() =>
      interrupted(
        () => payBatch(program, batch),
        () => deleteBatch(program, batch),
      ),
    );
    expect(outcome).toEqual({ status: 404 });
    expect(await stored()).toMatchObject({ paidAt: null, payoutBatchId: null });
  });
});
