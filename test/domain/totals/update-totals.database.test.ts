import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { createTotalsWrite, withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { added, sumsOfOne } from '../../../shared/domain/statistics/read-statistics.ts';
import { salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { lastDaysIn } from '../../../shared/platform/time/days.ts';
import { changeRecord } from '../../support/changes.ts';
import { newProgram, now } from '../../support/domain.ts';
import { testQueues } from '../../support/queues.ts';
import { makeStoredSale, storeAll } from '../../support/sales.ts';
import { makeStoredAffiliate, makeStoredLink, makeStoredReferral } from '../../support/stored-records.ts';
import { transactionSizesOf } from '../../support/transactions.ts';
import { count, setUp as newCounted } from './counted-changes.ts';

it('totals of many changes that each add to records of their own are all counted, and once', async () => {
  const programId = newProgram().id;
  const ids = Array.from({ length: 30 }, () => randomUUID());
  // Without their unique values, which are the same for all.
  const records = ids.flatMap((id) => [
    createTotalsWrite(programId, id),
    ...referrals.createWrites(programId, makeStoredReferral({ id })).slice(0, 1),
    ...links.createWrites(programId, makeStoredLink({ id })).slice(0, 1),
  ]);
  await storeAll(records);
  const changes = ids.map((id) => ({
    programId,
    changeId: id,
    record: {},
    deltas: [
      { kind: 'AFFILIATE' as const, id, amounts: { totalRevenueMinor: 5n } },
      { kind: 'REFERRAL' as const, id, amounts: { totalRevenueMinor: 6n } },
      { kind: 'LINK' as const, id, amounts: { totalRevenueMinor: 7n } },
    ],
  }));
  await updateTotals(changes, new Date());
  await updateTotals(changes, new Date());
  const found = await Promise.all([
    withTotals(
      programId,
      ids.map((id) => makeStoredAffiliate({ id })),
    ),
    referrals.getMany(programId, ids).then((byId) => [...byId.values()]),
    links.getMany(programId, ids).then((byId) => [...byId.values()]),
  ]);
  const revenues = found.map((counted) => counted.map(({ totalRevenueMinor }) => totalRevenueMinor));
  expect(revenues).toEqual([5, 6, 7].map((revenue) => ids.map(() => revenue)));
});

const { sentTo } = testQueues();
afterEach(() => vi.restoreAllMocks());

/** New affiliates' totals, and changes that add 5 to each. */
const setUp = async (count: number) => {
  const programId = newProgram().id;
  const ids = Array.from({ length: count }, () => randomUUID());
  await storeAll(ids.map((id) => createTotalsWrite(programId, id)));
  const changes = ids.map((id) => ({
    programId,
    changeId: id,
    record: changeRecord({ ...newProgram(), id: programId }, 'SALE', { after: { id } }),
    deltas: [{ kind: 'AFFILIATE' as const, id, amounts: { totalRevenueMinor: 5n } }],
  }));
  const revenues = async () =>
    (
      await withTotals(
        programId,
        ids.map((id) => makeStoredAffiliate({ id })),
      )
    ).map((total) => total.totalRevenueMinor);
  return { programId, ids, changes, revenues };
};

it.each([
  { count: 50, transactions: [100] },
  { count: 51, transactions: [100, 2] },
  { count: 101, transactions: [100, 100, 2] },
])(
  '$count changes of a record each are counted in transactions of at most 100 writes',
  async ({ count, transactions }) => {
    const { changes, revenues } = await setUp(count);
    expect(await transactionSizesOf(() => updateTotals(changes, now))).toEqual(transactions);
    expect(await revenues()).toEqual(changes.map(() => 5));
  },
);

it.each([
  { count: 99, transactions: [100] },
  { count: 100, transactions: [100, 2] },
])(
  '$count changes of one record are counted in transactions of at most 100 writes',
  async ({ count, transactions }) => {
    const {
      changes: [change],
      revenues,
    } = await setUp(1);
    if (!change) throw new Error('It was made above');
    const changes = Array.from({ length: count }, () => ({ ...change, changeId: randomUUID() }));
    expect(await transactionSizesOf(() => updateTotals(changes, now))).toEqual(transactions);
    expect(await revenues()).toEqual([5 * count]);
  },
);

it('the sums of an import are written in small transactions, beside the others of its program', async () => {
  const { changes, revenues } = await setUp(30);
  const some = changes.map((change, at) => ({ ...change, isImported: at >= 10 }));
  expect(await transactionSizesOf(() => updateTotals(some, now))).toEqual([20, 24, 16]);
  expect(await revenues()).toEqual(changes.map(() => 5));
});

it.each([
  {
    is: 'refunded',
    change: { refundedAmountMinor: 10_000, commissionEarnedMinor: 0 },
    count: 1,
    refundsMinor: 10_000n,
  },
  { is: 'deleted', change: undefined, count: 0, refundsMinor: 0n },
])(
  'a sale that is $is counts after the import that made it, within a batch',
  async ({ change, count: sales, refundsMinor }) => {
    const { program, affiliate, sale, totals, today } = await newCounted();
    const made = { ...sale({ inStatistics: true }), importedBy: 'import#1' };
    const makes = changeRecord(program, 'SALE', { after: made });
    const changes = changeRecord(program, 'SALE', { before: made, ...(change && { after: { ...made, ...change } }) });
    await count(makes, changes);
    expect(await totals()).toMatchObject({ totalRevenueMinor: 0, totalCommissionEarnedMinor: 0 });
    expect(await today()).toMatchObject({ count: sales, refundsMinor, revenueMinor: 0n, commissionMinor: 0n });
    const sums = await sumsOfOne(program.id, { name: 'AFFILIATE', id: affiliate.id }, lastDaysIn('UTC', 1, now));
    expect(added(sums)).toMatchObject({ sales, refundsMinor, revenueMinor: 0n, commissionMinor: 0n });
  },
);

it('a change is marked as counted for 8 days, which is longer than the stream keeps it', async () => {
  const { programId, ids, changes } = await setUp(1);
  await updateTotals(changes, new Date(now.getTime() + 1));
  const mark = await getItem('traffic', { pk: partition(programId, 'COUNTED'), sk: ids[0] ?? '' });
  expect(mark?.ttl).toBe(now.getTime() / 1000 + 1 + 8 * 24 * 60 * 60);
});

it('a change that can never be counted is set aside, and those beside it count', async () => {
  const { programId, ids, changes, revenues } = await setUp(3);
  await updateItem(
    'records',
    { pk: partition(programId, 'AFFILIATE', 'TOTALS'), sk: ids[1] ?? '' },
    {
      UpdateExpression: 'SET totalCommissionEarnedMinor = :text',
      ExpressionAttributeValues: { ':text': 'text' },
    },
  );
  const broken = changes.map((change, at) =>
    at === 1
      ? {
          ...change,
          deltas: [{ kind: 'AFFILIATE' as const, id: change.changeId, amounts: { totalCommissionEarnedMinor: 1n } }],
        }
      : change,
  );
  await updateTotals(broken, now);
  expect(sentTo('dead-letters')).toHaveLength(1);
  await updateItem(
    'records',
    { pk: partition(programId, 'AFFILIATE', 'TOTALS'), sk: ids[1] ?? '' },
    {
      UpdateExpression: 'REMOVE totalCommissionEarnedMinor',
    },
  );
  expect(await revenues()).toEqual([5, 0, 5]);
});

it('a change that could not be counted for now fails the batch, and nothing is set aside', async () => {
  const { changes, revenues } = await setUp(2);
  const fault = Object.assign(new Error('Not allowed at the moment'), { name: 'AccessDeniedException', $metadata: {} });
  const send = vi.spyOn(documents, 'send').mockRejectedValue(fault);
  await expect(updateTotals(changes, now)).rejects.toThrow('Not allowed');
  send.mockRestore();
  expect(sentTo('dead-letters')).toEqual([]);
  expect(await revenues()).toEqual([0, 0]);
});

it('of the records of a stream those that change a total are counted, and each needs an id', async () => {
  const program = newProgram();
  const sale = makeStoredSale('a', { affiliateId: null, createdAt: now.toISOString() });
  const made = changeRecord(program, 'SALE', { after: sale });
  const same = changeRecord(program, 'SALE', { before: sale, after: sale });
  const coupon = changeRecord(program, 'COUPON', { after: { id: 'c' } });
  const changes = await countableChangesOf([made, same, coupon]);
  expect(changes.map(({ programId, changeId, record }) => [programId, changeId, record])).toEqual([
    [program.id, made.eventID, made],
  ]);
  await updateTotals(changes, now);
  expect((await salesByDay(program.id, lastDaysIn('UTC', 1, now)))[0]?.count).toBe(1);
  const { eventID: _eventID, ...nameless } = made;
  expect(await countableChangesOf([nameless])).toEqual([]);
  expect(sentTo('dead-letters')).toHaveLength(1);
});
