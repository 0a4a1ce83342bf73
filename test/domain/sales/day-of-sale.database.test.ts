import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { refundSale as refundOperation, updateSale as updateOperation } from '../../../shared/contract/sales.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { changeRecord } from '../../support/changes.ts';
import { sell } from '../../support/create-sale.ts';
import { bodyOf, newProgram, now, storeAffiliate, type TestProgram } from '../../support/domain.ts';

// docs/behavior.md#day-of-a-sale

/** What the totals count when a sale is made, changed or deleted. */
const countChange = async (program: TestProgram, before: StoredSale | undefined, after: StoredSale | undefined) => {
  const change = changeRecord(program, 'SALE', { ...(before && { before }), ...(after && { after }) });
  await updateTotals(await countableChangesOf([change]), now);
};

const sellAndCount = async (program: TestProgram, when: string) => {
  const sale = await sell(program, { referralId: (await storeAffiliate(program)).id }, new Date(when));
  await countChange(program, undefined, sale);
  return sale;
};

/** `day: sales, revenue` of the days that have any. */
const counted = async ({ id }: TestProgram): Promise<string[]> =>
  (await salesByDay(id, { first: '2026-01-01', last: '2026-12-31' }))
    .filter(({ count, revenueMinor }) => count !== 0 || revenueMinor !== 0n)
    .map(({ day, count, revenueMinor }) => `${day}: ${count}, ${revenueMinor}`);

it.each([
  // A day of 23 hours, one of 25, and half an hour.
  { timeZone: 'Europe/Berlin', first: '2026-03-28T23:00:00.000Z', last: '2026-03-29T21:59:59.999Z', day: '2026-03-29' },
  { timeZone: 'Europe/Berlin', first: '2026-10-24T22:00:00.000Z', last: '2026-10-25T22:59:59.999Z', day: '2026-10-25' },
  { timeZone: 'Asia/Kolkata', first: '2026-02-28T18:30:00.000Z', last: '2026-03-01T18:29:59.999Z', day: '2026-03-01' },
  { timeZone: 'UTC', first: '2026-03-01T00:00:00.000Z', last: '2026-03-01T23:59:59.999Z', day: '2026-03-01' },
])('from $first to $last sales count on $day of $timeZone', async ({ timeZone, first, last, day }) => {
  const program = newProgram({ timeZone });
  const besides = [new Date(Date.parse(first) - 1), new Date(Date.parse(last) + 1)].map((at) => at.toISOString());
  for (const when of [first, last, ...besides]) await sellAndCount(program, when);
  const [before, on, after] = await counted(program);
  expect(on).toBe(`${day}: 2, 20000`);
  expect([before, after]).toEqual([expect.stringContaining(': 1, 10000'), expect.stringContaining(': 1, 10000')]);
});

it('refunds, edits and a deletion come off the day of the sale, whatever the time zone is by then', async () => {
  const program = newProgram({ timeZone: 'Asia/Tokyo' });
  const sale = await sellAndCount(program, '2026-02-28T20:00:00.000Z');
  const moved = { ...program, timeZone: 'America/New_York' };
  expect(await counted(moved)).toEqual(['2026-03-01: 1, 10000']);

  const update = bodyOf(updateOperation, { saleId: Number(sale.id), totalEarned: 80 });
  const edited = await updateSale(moved, update, undefined, now);
  await countChange(moved, sale, edited);
  expect(await counted(moved)).toEqual(['2026-03-01: 1, 8000']);

  const refund = bodyOf(refundOperation, { saleId: Number(sale.id), amount: 30 });
  const { sale: refunded } = await refundSale(moved, refund, undefined, now);
  await countChange(moved, edited, refunded);
  expect(await counted(moved)).toEqual(['2026-03-01: 1, 5000']);

  const deleted = await deleteSale(moved.id, Number(sale.id), undefined, now);
  await countChange(moved, deleted, undefined);
  expect(await counted(moved)).toEqual([]);
});

/** As version 1.0 wrote them: without a day, and counted in UTC. Do not change these. */
const itemsOfVersion1 = {
  sale: {
    id: '0278970892296192',
    createdAt: '2026-02-28T23:30:00.000Z',
    updatedAt: '2026-02-28T23:30:00.000Z',
    version: 1,
    affiliateId: null,
    referralId: null,
    affiliateLinkId: null,
    promotionalCodeId: null,
    redemption: null,
    externalId: null,
    externalInvoiceId: null,
    customerId: null,
    name: 'Priya Sharma',
    email: 'priya@example.com',
    totalEarnedMinor: 10_000,
    commissionRate: 0,
    commissionEarnedMinor: 0,
    refundedAmountMinor: 0,
    productsBought: [],
    status: 'ACTIVE',
    refundedAt: null,
    payoutBatchId: null,
    paidAt: null,
    source: 'API',
    searchWords: ['priya', 'sharma'],
    contentHash: 'yD4n0lZbGcTqY0rVt2yQwE3n5m1c0b8s7a9x2k6j4hU',
    metadata: {},
  },
  day: { sk: '2026-02-28', sales: 3, codeSales: 1, revenueMinor: 45_000, commissionMinor: 4500 },
};

it('a sale of version 1.0 stays on its day in UTC, whose sums are as they were', async () => {
  const program = newProgram({ timeZone: 'Asia/Tokyo' });
  const pk = partition(program.id, 'SALE', 'DAY');
  await documents.send(new PutCommand({ TableName: deployedName('records'), Item: { pk, ...itemsOfVersion1.day } }));
  const [day] = await salesByDay(program.id, { first: '2026-02-28', last: '2026-02-28' });
  expect(day).toEqual({
    day: '2026-02-28',
    count: 3,
    codeCount: 1,
    linkCount: 0,
    clicks: 0,
    referrals: 0,
    refundsMinor: 0n,
    revenueMinor: 45_000n,
    commissionMinor: 4500n,
  });

  const sale = StoredSale.parse(itemsOfVersion1.sale);
  const added = { attribution: null, referringHost: null, inStatistics: false, commissionRule: null, importKey: null };
  expect(sale).toEqual({ ...itemsOfVersion1.sale, ...added, reviewStatus: null, reviewReasons: [] });
  await writeTogether(sales.createWrites(program.id, sale));
  const refund = bodyOf(refundOperation, { saleId: Number(sale.id), amount: 30 });
  const { sale: refunded } = await refundSale(program, refund, undefined, now);
  await countChange(program, sale, refunded);
  expect(await counted(program)).toEqual(['2026-02-28: 3, 42000']);
});
