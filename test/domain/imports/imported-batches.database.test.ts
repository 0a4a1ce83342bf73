import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { imports } from '../../../shared/domain/imports/import-record.ts';
import { cancelImport, startImport } from '../../../shared/domain/imports/manage-imports.ts';
import { type ImportTools, runImport } from '../../../shared/domain/imports/run-import.ts';
import { sumsOfPayouts } from '../../../shared/domain/payouts/payouts.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { recordCalls } from '../../speed/recorded-calls.ts';
import { now } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { killedAfter } from '../statistics/counted-program.ts';
import { importWorld, type Row } from './import-world.ts';

type World = Awaited<ReturnType<typeof importWorld>>;

const email = 'amara@example.com';
const paidSales = (count: number, paidAt: (at: number) => string): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    externalId: `sale-${at}`,
    totalEarned: 10,
    commissionRate: 10,
    affiliateEmail: email,
    createdAt: '2024-05-05',
    paidAt: paidAt(at),
  }));

const daily = (at: number) => `2024-06-${String(1 + (at % 30)).padStart(2, '0')}`;

const worldWithAffiliate = async (): Promise<World> => {
  const world = await importWorld();
  await world.run('affiliates', [{ email, firstName: 'Amara', createdAt: '2024-01-15' }]);
  return world;
};

/** A file of sales whose run has begun, and its queue. */
const begun = async (rows: readonly Row[], overrides: Partial<ImportTools> = {}) => {
  const world = await worldWithAffiliate();
  const { id } = await world.plan('sales', rows);
  const { id: programId } = world.program;
  await startImport(programId, id, now);
  const message = { programId, importId: id };
  const queue = [message];
  const tools = { ...world.tools, send: async () => void queue.push(message), ...overrides };
  return {
    world,
    message,
    tools,
    read: () => world.read(id),
    /** Works on one message. */
    step: async () => {
      const next = queue.shift();
      if (next) await runImport(next, tools);
    },
    /** A message whose worker dies comes again. */
    redeliver: () => void queue.push(message),
    cancel: () => cancelImport(programId, id, now),
    messages: () => queue.length,
  };
};
type Begun = Awaited<ReturnType<typeof begun>>;

const workUntilQuiet = async ({ step, messages }: Begun): Promise<number> => {
  let steps = 0;
  for (; messages() > 0; steps += 1) await step();
  return steps;
};

/** Of the program's batches: their sales, all of which they say that they have. */
const summedSales = async ({ world: { program } }: Begun): Promise<number> => {
  let sales = 0;
  for await (const { id, payoutCount, saleCount, totalAmountMinor } of payoutBatches.all(program.id)) {
    expect({ payoutCount, saleCount, totalAmountMinor }).toEqual(await sumsOfPayouts(program.id, id));
    sales += saleCount;
  }
  return sales;
};

/** A clock that is beyond the time of a step whenever it is read again. */
const hurried = () => {
  let reads = 0;
  return { now: () => new Date(now.getTime() + 11_000 * reads++) };
};

describe('the batches of an import have the sums of their payouts', () => {
  it('that is cancelled while a worker is at it', async () => {
    const run = await begun(paidSales(20, daily));
    await interrupted(run.step, run.cancel, 'transaction');
    await workUntilQuiet(run);
    expect((await run.read()).status).toBe('CANCELLED');
    expect(await summedSales(run)).toBe(20);
  });

  it('that is cancelled after its worker died', async () => {
    const run = await begun(paidSales(20, daily));
    await killedAfter(2, run.step);
    await run.cancel();
    run.redeliver();
    await workUntilQuiet(run);
    expect(await run.read()).toMatchObject({ status: 'CANCELLED', position: 0 });
    expect(await summedSales(run)).toBe(20);
  });

  it.each(['DONE', 'CANCELLED'] as const)('that is %s, whose sums take several steps', async (status) => {
    const run = await begun(paidSales(20, daily), hurried());
    // The rows, and the sums of the first batches.
    await run.step();
    await run.step();
    expect(await run.read()).toMatchObject({ status: 'RUNNING', position: 21, summedBatchId: expect.any(String) });
    if (status === 'CANCELLED') await run.cancel();
    expect(await workUntilQuiet(run)).toBeGreaterThan(2);
    expect((await run.read()).status).toBe(status);
    expect(await summedSales(run)).toBe(20);
  });

  it('whose file is gone before its end', async () => {
    const run = await begun(paidSales(120, daily), hurried());
    await run.step();
    expect(await run.read()).toMatchObject({ status: 'RUNNING', position: 101 });
    run.tools.openFile = async () => undefined;
    expect(await workUntilQuiet(run)).toBeGreaterThan(2);
    expect((await run.read()).status).toBe('FAILED');
    expect(await summedSales(run)).toBe(100);
  });

  it('that an earlier version has begun', async () => {
    const run = await begun(paidSales(20, daily), hurried());
    await run.step();
    const Key = imports.keyOf(run.message.programId, run.message.importId);
    const input = { TableName: deployedName('records'), Key, UpdateExpression: 'REMOVE summedBatchId' };
    await documents.send(new UpdateCommand(input));
    expect(await workUntilQuiet(run)).toBeGreaterThan(2);
    expect(await summedSales(run)).toBe(20);
  });
});

it('sums a batch once, however many of its day are paid and at how many times', async () => {
  const minutes = (at: number) => `2024-06-01T${new Date(at * 60_000).toISOString().slice(11)}`;
  const run = await begun(paidSales(1000, minutes));
  await run.cancel();
  await run.world.run('sales', paidSales(1, minutes));
  const { id } = await run.world.plan('sales', paidSales(1000, minutes));
  const started = await startImport(run.message.programId, id, now);
  // As if its rows were written: they would take 8 seconds.
  await writeTogether(imports.updateWrites(run.message.programId, started, { ...started, position: 1001 }));
  const { calls } = await recordCalls(() => run.world.work(id));
  expect((await run.world.read(id)).status).toBe('DONE');
  expect(calls).toBeLessThanOrEqual(10);
});
