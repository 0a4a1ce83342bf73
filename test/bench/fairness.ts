import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedReceiver } from '../support/receiver.ts';
import { type BenchProgram, bench, until } from './bench-stack.ts';

// Run by hand, for some minutes: `npx node test/bench/fairness.ts`. Nineteen endpoints get a steady stream of events, and a
// twentieth does not respond until the deadline while it is owed 2,000 deliveries. The time of the nineteen from the
// commit of a change to its webhook is compared with what it is without the twentieth. Exit code 1 where its 95th
// percentile is more than one and a half times as long.

const owed = 2000;
const otherEndpoints = 19;
const measuredMilliseconds = 60_000;
const millisecondsBetweenChanges = 80;
const maxTimesAsLong = 1.5;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

await bench(async ({ anotherProgram }) => {
  const arrivals: number[] = [];
  let isMeasured = false;
  const receiver = await startScriptedReceiver(({ path, event }) => {
    if (path === '/hangs') return 'hang';
    // A record's time of change is taken before its commit, so this is never too short.
    if (isMeasured && event.type === 'coupon.created') arrivals.push(Date.now() - Date.parse(event.data.updatedAt));
    return 204;
  });
  const withEndpoint = async (path: string): Promise<BenchProgram> => {
    const program = await anotherProgram();
    await program.client.webhooks.create({ url: receiver.url(path) });
    return program;
  };
  const others = await Promise.all(Array.from({ length: otherEndpoints }, () => withEndpoint('/responses')));

  /** Changes at a steady rate, each endpoint in turn; returns the times from commit to arrival, in milliseconds. */
  const measure = async (): Promise<number[]> => {
    arrivals.length = 0;
    isMeasured = true;
    const changes: Promise<unknown>[] = [];
    const start = performance.now();
    while (performance.now() - start < measuredMilliseconds) {
      const program = others[changes.length % others.length];
      const dueAt = start + changes.length * millisecondsBetweenChanges;
      await sleep(Math.max(0, dueAt - performance.now()));
      if (program) changes.push(program.client.coupons.create({ name: `${changes.length}`, percentOff: 20 }));
    }
    await Promise.all(changes);
    await until(async () => arrivals.length >= changes.length);
    isMeasured = false;
    return [...arrivals];
  };

  const makeOwed = async (program: BenchProgram): Promise<void> => {
    const { id: couponId } = await program.client.coupons.create({ name: 'Owed', percentOff: 20 });
    for (let made = 0; made < owed; made += 100) {
      const promotionalCodes = Array.from({ length: 100 }, (_, at) => ({ couponId, code: `OWED-${made + at}` }));
      await program.client.promotionalCodes.createInBulk({ promotionalCodes });
    }
  };

  const rows: Record<string, object> = {};
  const report = (name: string, times: readonly number[]): number => {
    const p95 = percentile(times, 0.95);
    rows[name] = { webhooks: times.length, 'median ms': percentile(times, 0.5), '95th percentile ms': p95 };
    return p95;
  };

  await measure();
  const without = report('without', await measure());

  const healthy = await withEndpoint('/returns-too');
  const whileMade = makeOwed(healthy);
  report(`while ${owed} are made for one that returns`, await measure());
  await whileMade;
  await until(async () => receiver.at('/returns-too').length > owed);

  const hanging = await withEndpoint('/hangs');
  const made = makeOwed(hanging);
  report(`while ${owed} are made for one that hangs`, await measure());
  await made;
  const attemptsBefore = receiver.at('/hangs').length;
  const withHanging = report(`while one hangs and is owed ${owed}`, await measure());

  console.table(rows);
  console.log(
    `Of ${owed + 1} owed deliveries ${attemptsBefore} were tried before the last measurement, ${receiver.at('/hangs').length} after it.`,
  );
  console.log(`With the one that hangs it is ${(withHanging / without).toFixed(2)} times as long.`);
  receiver.stop();
  if (withHanging > maxTimesAsLong * without) process.exitCode = 1;
});
