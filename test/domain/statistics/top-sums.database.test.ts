import { expect, it } from 'vitest';
import { incrementSumsWrite } from '../../../shared/domain/statistics/day-sums.ts';
import { topSums } from '../../../shared/domain/statistics/top-sums.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { addDays } from '../../../shared/platform/time/days.ts';
import { newProgram, now } from '../../support/domain.ts';
import { storeAll } from '../../support/sales.ts';

const day = (number: number) => addDays(now.toISOString().slice(0, 10), number);

const add = (programId: string, on: number, id: string, amounts: Record<string, bigint>) =>
  writeTogether([incrementSumsWrite(programId, { name: 'LINK', day: day(on), id }, amounts)]);

it('the top of a period has what its days add up to: most revenue, then sales, then clicks', async () => {
  const { id } = newProgram();
  await add(id, -1, 'before', { sales: 1n, revenueMinor: 10_000n });
  await add(id, 0, 'twice', { sales: 1n, revenueMinor: 300n, clicks: 2n });
  await add(id, 1, 'twice', { sales: 1n, revenueMinor: 300n });
  await add(id, 1, 'once', { sales: 1n, revenueMinor: 500n });
  await add(id, 1, 'clicked', { clicks: 9n });
  await add(id, 1, 'hardly', { clicks: 1n });
  await add(id, 2, 'after', { sales: 1n, revenueMinor: 10_000n });
  const top = await topSums(id, 'LINK', { first: day(0), last: day(1) }, 3);
  expect(top.since).toBe(day(0));
  expect(top.sums.map((one) => [one.id, one.sales, one.revenueMinor, one.clicks])).toEqual([
    ['twice', 2, 600n, 2],
    ['once', 1, 500n, 0],
    ['clicked', 0, 0n, 9],
  ]);
});

it('the top of a period with too much to read is that of its newest whole days', async () => {
  const { id } = newProgram();
  const sums = Array.from({ length: 2100 }, (_, at) => ({ on: -Math.floor(at / 300), id: `link-${at % 300}` }));
  await storeAll(
    sums.map(({ on, id: link }) => {
      const { Update } = incrementSumsWrite(id, { name: 'LINK', day: day(on), id: link }, { clicks: 1n });
      return { Put: { TableName: Update?.TableName, Item: { ...Update?.Key, clicks: 1 } }, refusal: () => new Error() };
    }),
  );
  const top = await topSums(id, 'LINK', { first: day(-6), last: day(0) }, 5);
  // 2,000 sums are six whole days and a part of the seventh.
  expect(top.since).toBe(day(-5));
  expect(top.sums.map(({ clicks }) => clicks)).toEqual([6, 6, 6, 6, 6]);
});
