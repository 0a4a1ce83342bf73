import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { createPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import { deletePayoutBatch } from '../../../shared/domain/payouts/delete-payout-batch.ts';
import { allPayouts } from '../../../shared/domain/payouts/payouts.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { isHeld, makeStoredAdjustment, makeStoredSale, storeAll, unnoticed } from '../../support/sales.ts';
import { makeStoredAffiliate } from '../../support/stored-records.ts';
import { deliver, deliverToTheDying } from './deliver.ts';

const amara = randomUUID();
const bo = randomUUID();
/** Its sales are worth less than the minimum of the batch. */
const small = randomUUID();
/** Its refunds are worth more than its sales. */
const indebted = randomUUID();

/** A program whose records only this test works on, with a batch of them that nobody has begun to prepare. */
const makeScene = async (saleCount = 60) => {
  const programId = randomUUID();
  const people = [amara, bo, small, indebted].map((id) => makeStoredAffiliate({ id, email: `${id}@example.com` }));
  const stored = [
    ...Array.from({ length: saleCount }, (_, at) =>
      makeStoredSale(at % 2 ? amara : bo, { commissionEarnedMinor: 1001 + 7 * at }),
    ),
    ...[1, 2, 3].map(() => makeStoredSale(small, { commissionEarnedMinor: 33 })),
    ...[1, 2].map(() => makeStoredSale(indebted, { commissionEarnedMinor: 5000 })),
  ];
  const debts = [makeStoredAdjustment(amara, -777), makeStoredAdjustment(indebted, -10_001)];
  await storeAll(
    unnoticed([
      ...people.flatMap((affiliate) => affiliates.createWrites(programId, affiliate)),
      ...stored.flatMap((sale) => sales.createWrites(programId, sale)),
      ...debts.flatMap((debt) => adjustments.createWrites(programId, debt)),
    ]),
  );
  const makeBatch = async () => {
    const body = { minimumAmount: 1 };
    const created = vi.spyOn(documents, 'send');
    created.mockImplementationOnce(async () => ({}));
    const batch = await createPayoutBatch({ id: programId, currency: 'USD' }, body, new Date());
    created.mockRestore();
    await storeAll(unnoticed(payoutBatches.createWrites(programId, batch)));
    return batch.id;
  };
  return { programId, stored, debts, makeBatch };
};

type Scene = Awaited<ReturnType<typeof makeScene>>;

const currentSales = async ({ programId, stored }: Scene) => [
  ...(
    await sales.getMany(
      programId,
      stored.map(({ id }) => id),
    )
  ).values(),
];
const currentDebts = async ({ programId, debts }: Scene) => [
  ...(
    await adjustments.getMany(
      programId,
      debts.map(({ id }) => id),
    )
  ).values(),
];

const expectPrepared = async (scene: Scene, batchId: string) => {
  const { programId, stored } = scene;
  const kept = stored.filter(({ affiliateId }) => affiliateId === amara || affiliateId === bo);
  const sumOf = (affiliateId: string) =>
    kept
      .filter((sale) => sale.affiliateId === affiliateId)
      .reduce((sum, sale) => sum + BigInt(sale.commissionEarnedMinor), 0n);
  const expected = new Map([
    [amara, sumOf(amara) - 777n],
    [bo, sumOf(bo)],
  ]);
  const payouts = await Array.fromAsync(allPayouts(programId, batchId));
  expect(new Map(payouts.map(({ affiliateId, amountMinor }) => [affiliateId, amountMinor]))).toEqual(expected);
  expect(await payoutBatches.get(programId, batchId)).toMatchObject({
    step: 'DONE',
    payoutCount: 2,
    saleCount: kept.length,
    totalAmountMinor: String([...expected.values()].reduce((sum, amount) => sum + amount, 0n)),
  });
  for (const sale of await currentSales(scene))
    expect(sale.payoutBatchId).toBe(sale.affiliateId === amara || sale.affiliateId === bo ? batchId : null);
  for (const debt of await currentDebts(scene))
    expect(debt.payoutBatchId).toBe(debt.affiliateId === amara ? batchId : null);
  const unpaid = [amara, bo, small, indebted].map((id) => isHeld(programId, id));
  const { status } = (await payoutBatches.get(programId, batchId)) ?? {};
  expect(await Promise.all(unpaid)).toEqual([status !== 'PAID', status !== 'PAID', false, false]);
};

const expectPaid = async (scene: Scene, batchId: string) => {
  await expectPrepared(scene, batchId);
  const batch = await payoutBatches.get(scene.programId, batchId);
  for (const part of [...(await currentSales(scene)), ...(await currentDebts(scene))])
    expect(part.paidAt).toBe(part.payoutBatchId === null ? null : batch?.paidAt);
};

const expectReleased = async (scene: Scene, batchId: string) => {
  for (const part of [...(await currentSales(scene)), ...(await currentDebts(scene))])
    expect(part.payoutBatchId).toBeNull();
  expect(await Array.fromAsync(allPayouts(scene.programId, batchId))).toEqual([]);
  expect(await isHeld(scene.programId, amara)).toBe(false);
};

afterEach(() => {
  vi.restoreAllMocks();
});

const preparedBatch = async (scene: Scene) => {
  const batchId = await scene.makeBatch();
  await deliver(scene.programId, batchId, 'prepare');
  return batchId;
};
const paidBatch = async (scene: Scene) => {
  const batchId = await preparedBatch(scene);
  await updatePayoutBatch(scene.programId, { payoutBatchId: batchId, status: 'PAID' }, undefined, new Date());
  return batchId;
};
const deletedBatch = async (scene: Scene) => {
  const batchId = await preparedBatch(scene);
  await deletePayoutBatch(scene.programId, batchId, undefined, new Date());
  return batchId;
};

describe('a worker killed before and after each of its writes ends with the same sums', () => {
  it('while it prepares', async () => {
    const scene = await makeScene();
    const batchId = await scene.makeBatch();
    expect(await deliverToTheDying(scene.programId, batchId, 'prepare')).toBeGreaterThan(8);
    await expectPrepared(scene, batchId);
  });

  it('while it pays', async () => {
    const scene = await makeScene();
    const batchId = await paidBatch(scene);
    expect(await deliverToTheDying(scene.programId, batchId, 'pay')).toBeGreaterThan(2);
    await expectPaid(scene, batchId);
  });

  it('while it releases', async () => {
    const scene = await makeScene();
    const batchId = await deletedBatch(scene);
    expect(await deliverToTheDying(scene.programId, batchId, 'release')).toBeGreaterThan(2);
    await expectReleased(scene, batchId);
  });
});

describe('messages that come more than once change nothing', () => {
  it('one after the other, from the beginning to the payment', async () => {
    const scene = await makeScene();
    const batchId = await scene.makeBatch();
    await deliver(scene.programId, batchId, 'prepare', { copies: 3 });
    await deliver(scene.programId, batchId, 'prepare');
    await expectPrepared(scene, batchId);
    await deliver(scene.programId, batchId, 'pay');
    await deliver(scene.programId, batchId, 'release');
    await expectPrepared(scene, batchId);
    await updatePayoutBatch(scene.programId, { payoutBatchId: batchId, status: 'PAID' }, undefined, new Date());
    await deliver(scene.programId, batchId, 'pay', { copies: 2 });
    await expectPaid(scene, batchId);
    await deliver(scene.programId, batchId, 'prepare');
    await expectPaid(scene, batchId);
  });

  it('and at the same moment', async () => {
    const scene = await makeScene(150);
    const batchId = await scene.makeBatch();
    const again = () => deliver(scene.programId, batchId, 'prepare', { onFailure: () => undefined });
    await Promise.all([again(), again(), again()]);
    await expectPrepared(scene, batchId);
    await updatePayoutBatch(scene.programId, { payoutBatchId: batchId, status: 'PAID' }, undefined, new Date());
    const pay = () => deliver(scene.programId, batchId, 'pay', { onFailure: () => undefined });
    await Promise.all([pay(), pay()]);
    await expectPaid(scene, batchId);
  });
});

it('two batches prepared beside each other share no sale, and their sums are those of their sales', async () => {
  const scene = await makeScene(200);
  const ids = [await scene.makeBatch(), await scene.makeBatch()];
  await Promise.all(ids.map((id) => deliver(scene.programId, id, 'prepare')));
  const current = await currentSales(scene);
  for (const id of ids) {
    const own = current.filter(({ payoutBatchId }) => payoutBatchId === id);
    const payouts = await Array.fromAsync(allPayouts(scene.programId, id));
    expect(payouts.reduce((sum, { saleCount }) => sum + saleCount, 0)).toBe(own.length);
    const debts = (await currentDebts(scene)).filter(({ payoutBatchId }) => payoutBatchId === id);
    const worth =
      own.reduce((sum, { commissionEarnedMinor }) => sum + BigInt(commissionEarnedMinor), 0n) +
      debts.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
    expect((await payoutBatches.get(scene.programId, id))?.totalAmountMinor).toBe(String(worth));
  }
  const wanted = current.filter(({ affiliateId }) => affiliateId === amara || affiliateId === bo);
  expect(wanted.filter(({ payoutBatchId }) => payoutBatchId === null)).toEqual([]);
});

it('sums are exact beyond what a number keeps', async () => {
  const scene = await makeScene(0);
  const largest = Number.MAX_SAFE_INTEGER;
  const more = [1, 2, 3].map(() => makeStoredSale(bo, { commissionEarnedMinor: largest }));
  await storeAll(unnoticed(more.flatMap((sale) => sales.createWrites(scene.programId, sale))));
  const batchId = await scene.makeBatch();
  await deliver(scene.programId, batchId, 'prepare');
  expect((await payoutBatches.get(scene.programId, batchId))?.totalAmountMinor).toBe(String(3n * BigInt(largest)));
});

it('a sale that the index shows late is paid all the same', async () => {
  const scene = await makeScene();
  const batchId = await paidBatch(scene);
  const send = documents.send.bind(documents);
  let isBehind = true;
  const spy = vi.spyOn(documents, 'send').mockImplementation(async (command: Parameters<typeof send>[0]) => {
    if (!isBehind || !(command instanceof QueryCommand) || command.input.IndexName !== 'GSI4') return send(command);
    isBehind = false;
    return { Items: [] };
  });
  expect(await deliver(scene.programId, batchId, 'pay')).toEqual([10]);
  spy.mockRestore();
  await expectPaid(scene, batchId);
});
