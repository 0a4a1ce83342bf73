import { expect, it } from 'vitest';
import { eventsOf } from '../../../events/catalogue.ts';
import { bounds } from '../../../shared/contract/bounds.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { allPayouts } from '../../../shared/domain/payouts/payouts.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { reviewSale } from '../../../shared/domain/sales/review-sale.ts';
import { changeOf } from '../../../shared/platform/table/change.ts';
import { recordCalls } from '../../speed/recorded-calls.ts';
import { now, storeAffiliate, storeCode, storeCoupon, storeLink, storeSale } from '../../support/domain.ts';
import { watchRecords } from '../../support/watch-records.ts';
import { storeDefaultGroup } from '../commissions/stored-group.ts';
import { importWorld } from './import-world.ts';

const ofAll = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const all = [];
  for await (const value of values) all.push(value);
  return all;
};

const people = [
  { email: 'amara@example.com', firstName: 'Amara', createdAt: '2024-03-01T10:00:00Z', affiliateLink: 'amara' },
  { email: 'bjork@example.com', firstName: 'Björk', createdAt: '2025-01-01T00:00:00Z', affiliateLink: '' },
];

it('affiliates arrive with the time at which they joined, and importing the file again changes nothing', async () => {
  const world = await importWorld();
  const { done, planned, results, plan } = await world.run('affiliates', people);
  expect(results).toEqual(['2 created', '3 created']);
  expect(plan).toEqual(results);
  expect(done).toEqual({ created: 2, updated: 0, unchanged: 0, refused: 0 });
  expect(planned).toEqual(done);
  const amara = await affiliates.find(world.program.id, 'EMAIL', 'amara@example.com');
  expect(amara).toMatchObject({ createdAt: '2024-03-01T10:00:00.000Z', source: 'IMPORTED', version: 1 });
  const again = await world.run('affiliates', people);
  expect(again.results).toEqual(['2 unchanged', '3 unchanged']);
  expect(again.plan).toEqual(again.results);
  expect((await affiliates.find(world.program.id, 'EMAIL', 'amara@example.com'))?.version).toBe(1);
});

const history = [
  {
    externalId: 'a',
    totalEarned: 100,
    affiliateEmail: 'amara@example.com',
    email: 'c1@example.com',
    createdAt: '2021-02-01',
    refundedAmount: '',
    paidAt: '2021-03-05',
  },
  {
    externalId: 'b',
    totalEarned: 50,
    affiliateEmail: 'amara@example.com',
    email: 'c1@example.com',
    createdAt: '2024-02-01',
    refundedAmount: 20,
    paidAt: '2024-03-05',
  },
  {
    externalId: 'c',
    totalEarned: 10.5,
    affiliateEmail: 'amara@example.com',
    email: 'c2@example.com',
    createdAt: '2025-02-01',
    refundedAmount: '',
    paidAt: '',
  },
];

it('sales arrive with their refunds and payouts, and totals count each once', async () => {
  const world = await importWorld();
  const { program } = world;
  await world.run('affiliates', people);
  const { results, plan } = await world.run('sales', history);
  expect(results).toEqual(['2 created', '3 created', '4 created']);
  expect(plan).toEqual(results);
  const again = await world.run('sales', history);
  expect(again.results).toEqual(['2 unchanged', '3 unchanged', '4 unchanged']);
  await world.count();
  const stored = await ofAll(sales.all(program.id));
  expect(stored.map(({ createdAt, totalEarnedMinor, status }) => [createdAt, totalEarnedMinor, status])).toEqual([
    ['2025-02-01T00:00:00.000Z', 1050, 'ACTIVE'],
    ['2024-02-01T00:00:00.000Z', 5000, 'PARTIALLY_REFUNDED'],
    ['2021-02-01T00:00:00.000Z', 10_000, 'ACTIVE'],
  ]);
  const amara = await affiliates.find(program.id, 'EMAIL', 'amara@example.com');
  const [totals] = amara ? await withTotals(program.id, [amara]) : [];
  expect(totals).toMatchObject({ numberOfSales: 3, totalRevenueMinor: 14_050 });
  const batches = await ofAll(payoutBatches.all(program.id));
  expect(
    batches.map(({ source, status, saleCount, payoutCount, paidAt }) => [
      source,
      status,
      saleCount,
      payoutCount,
      paidAt,
    ]),
  ).toEqual([
    ['IMPORTED', 'PAID', 1, 1, '2024-03-05T00:00:00.000Z'],
    ['IMPORTED', 'PAID', 1, 1, '2021-03-05T00:00:00.000Z'],
  ]);
  for (const { id, totalAmountMinor } of batches) {
    const payouts = await ofAll(allPayouts(program.id, id));
    expect(String(payouts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n))).toBe(totalAmountMinor);
  }
});

it('a sale makes its event if that is asked for, and none of its code, which is not redeemed again', async () => {
  const { program, run } = await importWorld();
  const { code } = await storeCode(program, await storeCoupon(program));
  const changes = watchRecords(program);
  const row = { externalId: 'a', totalEarned: 100, promoCode: code, createdAt: '2024-02-01' };
  expect((await run('sales', [row], true)).results).toEqual(['2 created']);
  const made = (await changes()).flatMap((record) => changeOf(record) ?? []).map((change) => eventsOf(change, program));
  expect((await Promise.all(made)).flat().map(({ type }) => type)).toEqual(['sale.created']);
});

it('a sale earns in the months after the first sale that was known of its customer, and before that sale', async () => {
  const world = await importWorld();
  await storeDefaultGroup(world.program, { commissionRate: 20, commissionMonths: 1 });
  await world.run('affiliates', people);
  const common = { totalEarned: 10, affiliateEmail: 'amara@example.com', email: 'c1@example.com' };
  for (const days of [['2024-01-10'], ['2024-02-09', '2024-02-10'], ['2023-11-05']])
    await world.run(
      'sales',
      days.map((createdAt) => ({ ...common, createdAt })),
    );
  const stored = await ofAll(sales.all(world.program.id));
  expect(stored.map(({ day, commissionEarnedMinor }) => [day, commissionEarnedMinor])).toEqual([
    ['2024-02-10', 0],
    ['2024-02-09', 200],
    ['2024-01-10', 200],
    ['2023-11-05', 200],
  ]);
});

it.each(['affiliateId', 'affiliateEmail'] as const)(
  'a record that a row gives to another affiliate by %s is refused',
  async (column) => {
    const world = await importWorld();
    const owners = await Promise.all([storeAffiliate(world.program), storeAffiliate(world.program)]);
    const [own, another] = owners.map(({ id, email }) => (column === 'affiliateId' ? id : email));
    const row = { link: 'spring' };
    expect((await world.run('links', [{ ...row, [column]: own }])).results).toEqual(['2 created']);
    const { results, plan } = await world.run('links', [{ ...row, [column]: another }]);
    expect(results).toEqual(['2 link: The link spring belongs to another affiliate']);
    expect(plan).toEqual(results);
  },
);

it('a sale that is held for review enters no paid batch until somebody has decided about it', async () => {
  const world = await importWorld();
  const { program } = world;
  const affiliate = await storeAffiliate(program);
  const { id } = await storeSale(program, affiliate.id, { externalId: 'held', reviewStatus: 'HELD' });
  const rows = [{ externalId: 'held', totalEarned: 100, affiliateEmail: affiliate.email, paidAt: '2026-02-20' }];
  const { results, plan } = await world.run('sales', rows);
  expect(results).toEqual(['2 paidAt: The sale is held for review. Approve or reject it, then import its paidAt']);
  expect(plan).toEqual(results);
  expect(await sales.get(program.id, id)).toMatchObject({ payoutBatchId: null, paidAt: null });
  await reviewSale(program.id, { saleId: Number(id), decision: 'APPROVE' }, now);
  expect((await world.run('sales', rows)).results).toEqual(['2 updated']);
});

it('a referral that a row gives to another affiliate by the text of a link is refused', async () => {
  const world = await importWorld();
  for (const link of ['one', 'two']) {
    const { id } = await storeAffiliate(world.program);
    await storeLink(world.program, { affiliateId: id, link });
  }
  const row = { name: 'A', email: 'customer@example.com' };
  expect((await world.run('referrals', [{ ...row, affiliateId: 'one' }])).results).toEqual(['2 created']);
  expect((await world.run('referrals', [{ ...row, affiliateId: 'ONE' }])).results).toEqual(['2 unchanged']);
  const { results, plan } = await world.run('referrals', [{ ...row, affiliateId: 'two' }]);
  expect(results).toEqual(['2 email: The referral customer@example.com belongs to another affiliate']);
  expect(plan).toEqual(results);
});

it('a referral is credited to an affiliate who is not active, and to one who is the customer, as a sale is', async () => {
  const world = await importWorld();
  const [inactive, active] = await Promise.all([
    storeAffiliate(world.program, { status: 'INACTIVE' }),
    storeAffiliate(world.program),
  ]);
  const { results, plan } = await world.run('referrals', [
    { name: 'A', email: 'customer@example.com', affiliateEmail: inactive.email },
    { name: 'B', email: active.email, affiliateEmail: active.email },
  ]);
  expect(results).toEqual(['2 created', '3 created']);
  expect(plan).toEqual(results);
});

it('reads what the rows of a window need in a few calls, in the dry run and in the run', async () => {
  const world = await importWorld();
  const many = <Of>(row: (at: number) => Of): Of[] => Array.from({ length: 100 }, (_, at) => row(at));
  const affiliateEmail = (at: number) => `affiliate${at}@example.com`;
  const files = {
    affiliates: many((at) => ({ email: affiliateEmail(at), firstName: `A${at}` })),
    coupons: [{ name: 'Tenth', percentOff: 10, externalId: 'tenth' }],
    codes: many((at) => ({ code: `CODE-${at}`, couponExternalId: 'tenth', affiliateEmail: affiliateEmail(at) })),
    sales: many((at) => ({
      totalEarned: 10,
      affiliateEmail: affiliateEmail(at),
      email: `customer${at}@example.com`,
      createdAt: '2025-02-03',
      paidAt: '2025-03-05',
    })),
  };
  // A transaction for each affiliate and code, or for 2 sales.
  const writes: Record<string, number> = { affiliates: 100, coupons: 1, codes: 100, sales: 50 };
  for (const [kind, rows] of Object.entries(files)) {
    let id = '';
    const dryRun = await recordCalls(async () => {
      ({ id } = await world.plan(kind as keyof typeof files, rows));
    });
    const run = await recordCalls(() => world.start(id));
    expect(dryRun.calls).toBeLessThanOrEqual(20);
    expect(run.calls - (writes[kind] ?? 0)).toBeLessThanOrEqual(20);
  }
});

it('on the FREE plan exactly as many sales arrive as there is room for, though several transactions are written at once', async () => {
  const world = await importWorld({ plan: 'FREE' });
  const { results } = await world.run(
    'sales',
    Array.from({ length: bounds.recordsOfFreeProgram + 23 }, (_, at) => ({
      externalId: `sale-${at}`,
      totalEarned: 10,
      email: `customer${at}@example.com`,
      createdAt: '2024-05-05',
    })),
  );
  const created = results.filter((result) => result.endsWith(' created'));
  expect(created).toHaveLength(bounds.recordsOfFreeProgram);
  const refused = results.filter((result) => !created.includes(result));
  expect(refused.filter((result) => !result.includes('as many records as its plan allows'))).toEqual([]);
  expect(await ofAll(sales.all(world.program.id))).toHaveLength(bounds.recordsOfFreeProgram);
});
