import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  allPayouts,
  deleteEmptyPayoutWrite,
  dropPayoutWrite,
  incrementPayoutWrite,
  pageOfPayouts,
  payoutsInBatches,
  payoutsOf,
} from '../../../shared/domain/payouts/payouts.ts';
import {
  joining,
  leaving,
  salesStayOutOfPayoutBatches,
  staysOutOfPayoutBatches,
} from '../../../shared/domain/payouts/unpaid.ts';
import { updateItem } from '../../../shared/platform/table/items.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { type Write, writeTogether } from '../../../shared/platform/table/transaction.ts';
import { expectRefusal, newProgram, storeAffiliate, storeReferral, storeSale } from '../../support/domain.ts';
import { createBatch, payBatch, prepareBatch } from '../../support/payout-batches.ts';
import { storeAll } from '../../support/sales.ts';

const write = (...writes: Write[]) => writeTogether(writes);
const conflicts = (...writes: Write[]) => expect(write(...writes)).rejects.toBeInstanceOf(ConcurrentModificationError);
const opens = { opens: true };

describe('a payout', () => {
  const setUp = () => {
    const [programId, batchId] = [newProgram().id, randomUUID()];
    const add = (affiliateId: string, sums: Parameters<typeof incrementPayoutWrite>[3], how = {}) =>
      incrementPayoutWrite(programId, batchId, affiliateId, sums, how);
    const payout = async (affiliateId: string) => (await payoutsOf(programId, batchId, [affiliateId])).get(affiliateId);
    return { programId, batchId, add, payout };
  };

  it('is among all of its batch, however many these are', async () => {
    const { programId, batchId } = setUp();
    const ids = Array.from({ length: 1001 }, (_, at) => `affiliate-${String(at).padStart(4, '0')}`);
    const puts = ids.map((affiliateId) => ({
      Put: {
        TableName: process.env.RECORDS_TABLE ?? '',
        Item: { pk: partition(programId, 'PAYOUT', 'BATCH', batchId), sk: affiliateId, amountMinor: 1 },
      },
      refusal: () => new Error('unconditional'),
    }));
    await storeAll(puts);
    const found = await Array.fromAsync(allPayouts(programId, batchId));
    expect(found.map(({ affiliateId }) => affiliateId)).toEqual(ids);
  });

  it('is created by what it is for alone, and has the exact sums of all', async () => {
    const { programId, batchId, add, payout } = setUp();
    await conflicts(add('a', { amountMinor: 1n, saleCount: 1 }));
    await write(add('a', { amountMinor: BigInt(Number.MAX_SAFE_INTEGER), saleCount: 2 }, opens));
    await write(add('a', { amountMinor: 10n, adjustmentCount: 1 }));
    await write(add('a', { paidCount: 3 }));
    const amountMinor = BigInt(Number.MAX_SAFE_INTEGER) + 10n;
    const sums = {
      amountMinor,
      saleCount: 2,
      adjustmentCount: 1,
      paidCount: 3,
      isDropped: false,
      promotionalCode: null,
    };
    expect(await payout('a')).toEqual({ affiliateId: 'a', pk: undefined, ...sums });
    expect((await payoutsInBatches(programId, 'a', [batchId, randomUUID()])).get(batchId)).toMatchObject(sums);
    expect(await payout('b')).toBeUndefined();
  });

  it('is dropped where it is too small, and not brought back by that', async () => {
    const { programId, batchId, add, payout } = setUp();
    await conflicts(dropPayoutWrite(programId, batchId, 'a'));
    await write(add('a', { amountMinor: 1n, saleCount: 1 }, opens));
    await write(dropPayoutWrite(programId, batchId, 'a'));
    expect(await payout('a')).toMatchObject({ isDropped: true, saleCount: 1 });
  });

  it('is deleted only when it is empty', async () => {
    const { programId, batchId, add, payout } = setUp();
    const remove = deleteEmptyPayoutWrite(programId, batchId, 'a');
    for (const counter of ['saleCount', 'adjustmentCount']) {
      await write(add('a', { amountMinor: 1n, [counter]: 1 }, opens));
      await conflicts(remove);
      await write(add('a', { amountMinor: -1n, [counter]: -1 }));
      await write(remove);
      expect(await payout('a')).toBeUndefined();
    }
    await write(remove);
  });

  it('is one of a page, and all pages have each once', async () => {
    const { programId, batchId, add } = setUp();
    await write(...['a', 'b', 'c', 'd'].map((id) => add(id, { amountMinor: 1n, saleCount: 1 }, opens)));
    const page = async (limit: number, after?: string) => {
      const { payouts, next } = await pageOfPayouts(programId, batchId, { limit, after });
      return { ids: payouts.map(({ affiliateId }) => affiliateId).join(''), next };
    };
    expect(await page(3)).toEqual({ ids: 'abc', next: 'c' });
    expect(await page(3, 'c')).toEqual({ ids: 'd', next: undefined });
    expect(await page(4)).toEqual({ ids: 'abcd', next: undefined });
    expect(await page(5)).toEqual({ ids: 'abcd', next: undefined });
    expect(await page(3, 'd')).toEqual({ ids: '', next: undefined });
    const all: string[] = [];
    for await (const { affiliateId } of allPayouts(programId, batchId)) all.push(affiliateId);
    expect(all).toEqual(['a', 'b', 'c', 'd']);
    expect(await pageOfPayouts(programId, randomUUID(), { limit: 3 })).toEqual({ payouts: [], next: undefined });
  });
});

describe('an affiliate in payout batches', () => {
  const setUp = async () => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program);
    const staysOut = () => staysOutOfPayoutBatches(program.id, affiliate.id);
    return { program, affiliate, staysOut };
  };
  const conflict = { status: 409 };

  it('stays out while none has sales of it, unless one takes some in between', async () => {
    const { program, affiliate, staysOut } = await setUp();
    const condition = await staysOut();
    await write(condition);
    const batch = await createBatch(program);
    await write(joining(program.id, batch.id, affiliate.id));
    await conflicts(condition);
    await expectRefusal(staysOut, conflict);
    await write(leaving(program.id, batch.id, affiliate.id));
    await write(await staysOut());
    await write(condition);
  });

  it('stays out of batches that are paid, on the condition that no other one takes some', async () => {
    const { program, affiliate, staysOut } = await setUp();
    await storeSale(program, affiliate.id, { createdAt: '2026-01-01T00:00:00.000Z' });
    const paid = await prepareBatch(program);
    await expectRefusal(staysOut, conflict);
    await payBatch(program, paid);
    await write(joining(program.id, paid.id, affiliate.id));
    const condition = await staysOut();
    await write(condition);
    await write(joining(program.id, (await createBatch(program)).id, affiliate.id));
    await conflicts(condition);
  });

  it('is held by a batch that was deleted until all sales are released', async () => {
    const { program, affiliate, staysOut } = await setUp();
    const gone = randomUUID();
    await write(joining(program.id, gone, affiliate.id));
    await expectRefusal(staysOut, conflict);
    await write(leaving(program.id, gone, affiliate.id));
    await write(await staysOut());
  });

  it('lets a referral go whose own sales are in no unpaid batch', async () => {
    const { program, affiliate } = await setUp();
    const [inBatch, beside] = [
      await storeReferral(program, { affiliateId: affiliate.id }),
      await storeReferral(program, { affiliateId: affiliate.id }),
    ];
    const batch = await createBatch(program);
    const staysOut = (referral: { id: string; affiliateId: string | null }) =>
      salesStayOutOfPayoutBatches(program.id, referral);
    expect(await staysOut({ id: inBatch.id, affiliateId: null })).toEqual([]);
    expect(await staysOut(inBatch)).toHaveLength(1);
    await storeSale(program, affiliate.id, { referralId: inBatch.id, payoutBatchId: batch.id });
    await storeSale(program, affiliate.id, { referralId: inBatch.id });
    await storeSale(program, affiliate.id, { referralId: beside.id, payoutBatchId: randomUUID() });
    await write(joining(program.id, batch.id, affiliate.id));
    await expectRefusal(() => staysOut(inBatch), conflict);
    const condition = await staysOut(beside);
    await write(...condition);
    await write(joining(program.id, randomUUID(), affiliate.id));
    await conflicts(...condition);
  });

  it('is held by its own batches alone', async () => {
    const { program, affiliate, staysOut } = await setUp();
    const stranger = await storeAffiliate(program);
    await write(joining(program.id, (await createBatch(program)).id, stranger.id));
    await write(await staysOut());
    const key = { pk: partition(program.id, 'PAYOUT', 'AFFILIATE', affiliate.id), sk: 'BATCHES' };
    await updateItem('records', key, {
      UpdateExpression: 'SET note = :none',
      ExpressionAttributeValues: { ':none': '' },
    });
    await write(await staysOut());
  });
});
