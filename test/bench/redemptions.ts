import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createDomainTables } from '../support/domain-tables.ts';
import { startGuardedTables } from '../support/guarded-table.ts';
import type { Redemption } from '../support/redeem.ts';
import { watchLoad } from './bench-stack.ts';

// Run by hand: `npx node test/bench/redemptions.ts`. Sales of one code by the action of the domain in two processes, without
// HTTP, workers and streams, while concurrent transactions on one item conflict: at higher rates than the whole stack
// carries on one machine. Exit code 1 where a sale ends otherwise than it has to.
//   --rate N       sales per second of both processes together (100)
//   --seconds N    for how long (12)
//   --uses N       how many the code has: it sells exactly that often (1,000); 0 for a code without a limit
//   --latency MS   how much longer each call to the database takes (8)
const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '12' },
    uses: { type: 'string', default: '1000' },
    latency: { type: 'string', default: '8' },
  },
});
const rate = Number(options.rate);
const uses = Number(options.uses);
const processCount = 2;
const countOfOne = Math.round((rate * Number(options.seconds)) / processCount);

/** What a process of this measurement does: its part of the sales. */
const sellPart = async (plan: string): Promise<void> => {
  const { redeemAtRate } = await import('../support/redeem.ts');
  process.send?.('ready');
  await once(process, 'message');
  process.send?.(await redeemAtRate(JSON.parse(plan)));
  process.disconnect();
};

const runProcesses = async (plan: object): Promise<Redemption[]> => {
  const processes = Array.from({ length: processCount }, () =>
    fork(import.meta.filename, { env: { ...process.env, REDEMPTIONS: JSON.stringify(plan) } }),
  );
  await Promise.all(processes.map((child) => once(child, 'message')));
  const parts = processes.map(async (child) => {
    child.send('go');
    const [part]: Redemption[][] = await once(child, 'message');
    return part ?? [];
  });
  return (await Promise.all(parts)).flat();
};

const measure = async (): Promise<void> => {
  const names = { records: 'records', traffic: 'traffic' };
  const tables = await startGuardedTables(createDomainTables(names));
  try {
    await tables.setFaults({ conflictsInFlight: true, latencyMilliseconds: Number(options.latency) });
    Object.assign(process.env, tables.environment, { RECORDS_TABLE: names.records, TRAFFIC_TABLE: names.traffic });
    const { newProgram, storeCode, storeCoupon } = await import('../support/domain.ts');
    const program = newProgram();
    const { code } = await storeCode(program, await storeCoupon(program), uses > 0 ? { maxRedemptions: uses } : {});
    const before = await tables.faultCounts();
    const loadSince = watchLoad();
    const redemptions = await runProcesses({ program, code, perSecond: rate / processCount, count: countOfOne });
    const load = loadSince();
    const after = await tables.faultCounts();
    report(redemptions, { calls: after.calls - before.calls, conflicts: after.conflicts - before.conflicts, load });
  } finally {
    await tables.stop();
  }
};

const report = (
  redemptions: readonly Redemption[],
  { calls, conflicts, load }: { calls: number; conflicts: number; load: ReturnType<ReturnType<typeof watchLoad>> },
): void => {
  const counts = Object.fromEntries(
    [...Map.groupBy(redemptions, ({ outcome }) => outcome)].map(([outcome, { length }]) => [outcome, length]),
  );
  const times = redemptions.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  const total = countOfOne * processCount;
  const expected = uses > 0 && uses < total ? { sold: uses, code_limit_reached: total - uses } : { sold: total };
  console.log({
    ...counts,
    'p50 ms': Math.round(times[Math.floor(total / 2)] ?? 0),
    'p99 ms': Math.round(times[Math.floor(total * 0.99)] ?? 0),
    'calls per sale': calls / total,
    'conflicts per sale': conflicts / total,
    'machine idle': load['machine idle'],
  });
  if (JSON.stringify(Object.entries(counts).toSorted()) === JSON.stringify(Object.entries(expected).toSorted())) return;
  process.exitCode = 1;
  console.log('Not as it has to be:', expected);
};

const plan = process.env.REDEMPTIONS;
await (plan === undefined ? measure() : sellPart(plan));
