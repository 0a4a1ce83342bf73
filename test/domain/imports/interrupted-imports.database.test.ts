import { describe, expect, it } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { importedOrdersWrite, readCustomers } from '../../../shared/domain/attribution/customers.ts';
import { imports } from '../../../shared/domain/imports/import-record.ts';
import { cancelImport, createImport, planImport, startImport } from '../../../shared/domain/imports/manage-imports.ts';
import { runImport } from '../../../shared/domain/imports/run-import.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { now } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { killedAfter } from '../statistics/counted-program.ts';
import { importWorld, type Row } from './import-world.ts';

const ofAll = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const all = [];
  for await (const value of values) all.push(value);
  return all;
};

const people: Row[] = [1, 2, 3].map((at) => ({
  email: `a${at}@example.com`,
  firstName: `A${at}`,
  createdAt: '2024-01-15',
}));

/** Some with an external id, some told apart by what they say, and two that say the same. */
const history: Row[] = Array.from({ length: 60 }, (_, at) => ({
  externalId: at % 3 === 0 ? `sale-${at}` : '',
  totalEarned: 10 + (at % 7 === 0 ? 0 : at),
  affiliateEmail: `a${1 + (at % 3)}@example.com`,
  email: `customer${at % 5}@example.com`,
  createdAt: at % 7 === 0 ? '2024-05-05' : `2024-0${1 + (at % 9)}-10`,
  refundedAmount: at % 4 === 0 ? 5 : '',
  paidAt: at % 2 === 0 ? '' : '2025-01-31',
}));

const stateOf = async (world: Awaited<ReturnType<typeof importWorld>>) => {
  await world.count();
  const { program } = world;
  const stored = await ofAll(sales.all(program.id));
  const owners = await ofAll(affiliates.all(program.id));
  const emailOf = new Map(owners.map(({ id, email }) => [id, email]));
  const totals = await withTotals(program.id, owners);
  const batches = await ofAll(payoutBatches.all(program.id));
  return {
    sales: stored
      .map((sale) =>
        [
          sale.createdAt,
          sale.externalId,
          sale.email,
          sale.totalEarnedMinor,
          sale.refundedAmountMinor,
          sale.paidAt,
          sale.commissionEarnedMinor,
          emailOf.get(sale.affiliateId ?? ''),
        ].join(' '),
      )
      .toSorted(),
    totals: totals
      .map((one) =>
        [
          one.email,
          one.numberOfSales,
          one.totalRevenueMinor,
          one.totalCommissionEarnedMinor,
          one.totalCommissionPaidMinor,
        ].join(' '),
      )
      .toSorted(),
    batches: batches.map(({ saleCount, payoutCount, totalAmountMinor, paidAt }) => ({
      saleCount,
      payoutCount,
      totalAmountMinor,
      paidAt,
    })),
  };
};

const runUntouched = async () => {
  const world = await importWorld();
  await world.run('affiliates', people);
  const { results } = await world.run('sales', history);
  return { results, ...(await stateOf(world)) };
};

let untouchedRun: ReturnType<typeof runUntouched> | undefined;
const untouched = () => {
  untouchedRun ??= runUntouched();
  return untouchedRun;
};

/** A planned file whose rows are all refused: the first write of its run keeps how far it is. */
const refusedRows = async () => {
  const world = await importWorld();
  const rows = Array.from({ length: 240 }, (_, at) => ({ email: `no address ${at}`, firstName: 'A' }));
  const { id } = await world.plan('affiliates', rows);
  await startImport(world.program.id, id, now);
  return { world, id, step: () => runImport({ programId: world.program.id, importId: id }, world.tools) };
};

it('a worker that another one has overtaken keeps no progress', async () => {
  const { world, id, step } = await refusedRows();
  await interrupted(step, () => killedAfter(1, step));
  expect(await world.read(id)).toMatchObject({ status: 'RUNNING', position: 101, done: { refused: 100 } });
  await world.work(id);
  expect(await world.read(id)).toMatchObject({ status: 'DONE', done: { refused: 240 } });
  expect(await world.results(id, 'RUN')).toHaveLength(240);
});

it('an import that is cancelled while a worker is at it stays so, and says what became of the rows until then', async () => {
  const { world, id, step } = await refusedRows();
  await interrupted(step, () => cancelImport(world.program.id, id, now));
  expect(await world.read(id)).toMatchObject({ status: 'CANCELLED', position: 101, done: { refused: 100 } });
  expect(await world.results(id, 'RUN')).toHaveLength(100);
});

describe('an import of sales', () => {
  it('that is killed after each of its writes ends as one that is not, and says the same of each row', async () => {
    const expected = await untouched();
    expect(expected.sales).toHaveLength(60);
    const world = await importWorld();
    await world.run('affiliates', people);
    const { id } = await world.plan('sales', history);
    await startImport(world.program.id, id, now);
    let kills = 0;
    for (let write = 1; (await world.read(id)).status === 'RUNNING'; write = (write % 7) + 1) {
      kills += 1;
      await killedAfter(write, () => runImport({ programId: world.program.id, importId: id }, world.tools));
      expect(kills).toBeLessThan(60);
    }
    expect(kills).toBeGreaterThan(3);
    expect({ results: await world.results(id, 'RUN'), ...(await stateOf(world)) }).toEqual(expected);
  });

  it.each([
    {
      comes: 'several times at once',
      deliverAll: (one: () => Promise<unknown>) => Promise.allSettled([one(), one(), one()]),
    },
    {
      comes: 'again before its first write',
      deliverAll: (one: () => Promise<unknown>) => Promise.allSettled([interrupted(one, one)]),
    },
  ])('whose message comes $comes ends as one whose message comes once', async ({ deliverAll }) => {
    const expected = await untouched();
    const world = await importWorld();
    await world.run('affiliates', people);
    const { id } = await world.plan('sales', history);
    await startImport(world.program.id, id, now);
    const deliver = () => runImport({ programId: world.program.id, importId: id }, world.tools);
    await deliverAll(deliver);
    await world.work(id);
    expect({ results: await world.results(id, 'RUN'), ...(await stateOf(world)) }).toEqual(expected);
  });

  it('imports nothing more once it is cancelled, and may be run again', async () => {
    const expected = await untouched();
    const world = await importWorld();
    await world.run('affiliates', people);
    const { id } = await world.plan('sales', history);
    await startImport(world.program.id, id, now);
    await killedAfter(2, () => runImport({ programId: world.program.id, importId: id }, world.tools));
    await cancelImport(world.program.id, id, now);
    await runImport({ programId: world.program.id, importId: id }, world.tools);
    const { sales: some } = await stateOf(world);
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(60);
    const again = await world.run('sales', history);
    expect(again.done).toMatchObject({ created: 60 - some.length, unchanged: some.length, refused: 0 });
    const { results: _, ...state } = expected;
    expect(await stateOf(world)).toEqual(state);
  });
});

describe('the first sale of a customer', () => {
  const customer = 'customer@example.com';
  const row = (createdAt: string, totalEarned = 10): Row => ({ totalEarned, email: customer, createdAt });
  const started = async (before: readonly Row[], rows: readonly Row[]) => {
    const world = await importWorld();
    const { id: programId } = world.program;
    if (before.length > 0) await world.run('sales', before);
    const { id } = await world.plan('sales', rows);
    await startImport(programId, id, now);
    return {
      world,
      id,
      programId,
      step: () => runImport({ programId, importId: id }, world.tools),
      stored: async () => (await readCustomers(programId, [customer])).get(customer),
    };
  };

  it('is the earliest of a window, whatever the order of its rows', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => row(`2024-03-${String(40 - at).padStart(2, '0')}`, 10 + at));
    const { step, stored } = await started([], rows.slice(9));
    await step();
    expect(await stored()).toEqual({ orders: 31, firstSaleAt: '2024-03-01T00:00:00.000Z' });
  });

  it.each([
    ['whom the import did not find', []],
    ['whom the import found', [row('2024-06-01')]],
  ])('is the one that was recorded meanwhile if it was earlier, of a customer %s', async (_, before) => {
    const { world, id, programId, step, stored } = await started(before, [row('2024-05-01')]);
    const known = before.length === 0 ? undefined : '2024-06-01T00:00:00.000Z';
    const orders = { orders: 1, createdAt: '2024-01-01T00:00:00.000Z', known };
    await interrupted(step, () => writeTogether([importedOrdersWrite(programId, customer, orders)]), 'transaction');
    expect(await stored()).toEqual({ orders: 2 + before.length, firstSaleAt: orders.createdAt });
    expect((await world.read(id)).done).toMatchObject({ created: 1, refused: 0 });
  });
});

it.each([
  { apart: 'beside each other', between: 0 },
  { apart: 'in transactions of their own', between: 30 },
  { apart: 'in windows of their own', between: 250 },
])('of two new sales of one invoice $apart the second is refused, as the dry run says', async ({ between }) => {
  const world = await importWorld();
  const { plan, results } = await world.run(
    'sales',
    Array.from({ length: between + 2 }, (_, at) => ({
      externalId: `sale-${at}`,
      externalInvoiceId: at === 0 || at === between + 1 ? 'invoice' : `invoice-${at}`,
      totalEarned: 10,
      email: `customer${at}@example.com`,
      createdAt: '2024-05-05',
    })),
  );
  expect(results.slice(0, -1)).toEqual(results.slice(0, -1).map((_, at) => `${at + 2} created`));
  expect(results.at(-1)).toContain(`${between + 3} externalInvoiceId:`);
  expect(plan).toEqual(results);
});

it('race: of two imports of a program that start at once one runs', async () => {
  const world = await importWorld();
  const { id: programId } = world.program;
  const made = [1, 2].map(() =>
    createImport(programId, { kind: 'affiliates', preset: null, fileName: 'a.csv', makesEvents: false }, now),
  );
  const ids = (await Promise.all(made)).map(({ id }) => id);
  const start = (id: string) => planImport(programId, id, { etag: 'etag', mapping: { email: 'email' } }, now);
  const started = await Promise.allSettled(ids.map(start));
  expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(started.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
  expect((await ofAll(imports.all(programId))).map(({ status }) => status).toSorted()).toEqual([
    'PLANNING',
    'UPLOADING',
  ]);
});
