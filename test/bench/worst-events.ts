import { setTimeout as sleep } from 'node:timers/promises';
import { bounds } from '../../shared/contract/bounds.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { type BenchProgram, bench, until, watchProcessors } from './bench-stack.ts';

// Run by hand, for two to three minutes: `npx node test/bench/worst-events.ts`. One program changes three coupons of the
// largest size with 100 codes each, as often as its rate limit allows, or as often as leaves this machine a fifth of its
// processors: beyond that, a measurement is of nothing but the machine. The median of another program from the commit of
// a change to its webhook is compared with what it is alone. Exit code 1 where it is more than twice as long.

const measuredMilliseconds = 20_000;
const millisecondsBetweenChanges = 200;
const maxTimesAsLong = 2;
/** 300 writes a minute for each key, and three keys' worth for a program (shared/contract/bounds.ts). */
const allowedChangesPerSecond = (300 * bounds.keysWithWholeRateLimit) / 60;
const maxProcessorShare = 0.8;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

interface Measured {
  /** In milliseconds, from a commit to its webhook. */
  readonly times: readonly number[];
  /** How busy the machine was, from 0 to 1. */
  readonly processorShare: number;
  /** How many of the largest changes the first program made beside. */
  readonly changesPerSecond: number;
}

const largest = (mark: number) => ({
  name: `${mark}`.padEnd(200, '漢'),
  productIds: Array.from({ length: 100 }, (_, at) => `${mark}-${at}`.padEnd(100, '漢')),
  collectionIds: Array.from({ length: 100 }, (_, at) => `${mark}-${at}`.padEnd(100, '漢')),
  metadata: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key ${at}`, `${mark}`.padEnd(500, '漢')])),
});

await bench(async ({ anotherProgram }) => {
  const arrivals: number[] = [];
  const receiver = await startScriptedReceiver(({ path, event }) => {
    if (path === '/second') arrivals.push(Date.now() - Date.parse(event.data.updatedAt));
    return 204;
  });
  const withEndpoint = async (path: string): Promise<BenchProgram> => {
    const program = await anotherProgram();
    await program.client.webhooks.create({ url: receiver.url(path) });
    return program;
  };
  const [first, second] = await Promise.all([withEndpoint('/first'), withEndpoint('/second')]);
  const measure = async (): Promise<Measured> => {
    arrivals.length = 0;
    let made = 0;
    const processors = watchProcessors();
    const start = performance.now();
    while (performance.now() - start < measuredMilliseconds) {
      await sleep(Math.max(0, start + made * millisecondsBetweenChanges - performance.now()));
      await second.client.coupons.create({ name: 'Bench', percentOff: 20 });
      made += 1;
    }
    const processorShare = processors();
    await until(async () => arrivals.length >= made);
    return { times: [...arrivals], processorShare, changesPerSecond: 0 };
  };

  await measure();
  const alone = await measure();
  const largeCoupons = await Promise.all(
    Array.from({ length: bounds.keysWithWholeRateLimit }, async (_, key) => {
      const { id: couponId } = await first.client.coupons.create({ percentOff: 20, ...largest(0) });
      const promotionalCodes = Array.from({ length: 100 }, (_, at) => ({ couponId, code: `CODE-${key}-${at}` }));
      await first.client.promotionalCodes.createInBulk({ promotionalCodes });
      return couponId;
    }),
  );
  // The codes make large events too, which are not what is measured.
  await until(async () => receiver.at('/first').length >= largeCoupons.length * 101);
  const besideChanges = async (changesPerSecond: number): Promise<Measured> => {
    let changes = 0;
    let isOver = false;
    const start = performance.now();
    const worst = largeCoupons.map(async (couponId) => {
      while (!isOver) {
        const mark = ++changes;
        await sleep(Math.max(0, start + (mark * 1000) / changesPerSecond - performance.now()));
        await first.client.coupons.update(couponId, largest(mark));
      }
    });
    const measured = await measure();
    isOver = true;
    await Promise.all(worst);
    return { ...measured, changesPerSecond: changes / ((performance.now() - start) / 1000) };
  };

  const rows = [alone];
  let beside: Measured;
  let changesPerSecond = allowedChangesPerSecond;
  do {
    beside = await besideChanges(changesPerSecond);
    rows.push(beside);
    changesPerSecond -= 2;
  } while (beside.processorShare > maxProcessorShare && changesPerSecond > 0);

  console.table(
    rows.map(({ times, processorShare, changesPerSecond }) => ({
      'largest changes a second': changesPerSecond.toFixed(1),
      webhooks: times.length,
      'median ms': percentile(times, 0.5),
      '95th percentile ms': percentile(times, 0.95),
      'processors busy': `${Math.round(100 * processorShare)} %`,
    })),
  );
  const ratio = percentile(beside.times, 0.5) / percentile(alone.times, 0.5);
  console.log(
    `Beside ${beside.changesPerSecond.toFixed(1)} of the largest changes a second (${allowedChangesPerSecond} are allowed) the median is ${ratio.toFixed(2)} times as long.`,
  );
  receiver.stop();
  if (ratio > maxTimesAsLong) process.exitCode = 1;
});
