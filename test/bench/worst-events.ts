import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedReceiver } from '../support/receiver.ts';
import { type BenchProgram, bench, until } from './bench-stack.ts';

// Run by hand, for two minutes: `npx node test/bench/worst-events.ts`. One program changes a coupon of the largest size
// that has 100 codes, as fast as it can. The median of another program from the commit of a change to its webhook is
// compared with what it is alone. Exit code 1 where it is more than twice as long.

const measuredMilliseconds = 30_000;
const millisecondsBetweenChanges = 200;
const maxTimesAsLong = 2;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

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
    await program.call('POST', '/webhooks', { url: receiver.url(path), eventTypes: ['*'] });
    return program;
  };
  const [first, second] = await Promise.all([withEndpoint('/first'), withEndpoint('/second')]);
  const measure = async (): Promise<number[]> => {
    arrivals.length = 0;
    let made = 0;
    const start = performance.now();
    while (performance.now() - start < measuredMilliseconds) {
      await sleep(Math.max(0, start + made * millisecondsBetweenChanges - performance.now()));
      await second.call('POST', '/coupons', { name: 'Bench', percentOff: 20 });
      made += 1;
    }
    await until(async () => arrivals.length >= made);
    return [...arrivals];
  };

  await measure();
  const alone = await measure();
  const { id: couponId } = await first.call('POST', '/coupons', { percentOff: 20, ...largest(0) });
  const promotionalCodes = Array.from({ length: 100 }, (_, at) => ({ couponId, code: `CODE-${at}` }));
  await first.call('POST', '/promotional-codes/bulk', { promotionalCodes });
  let changes = 0;
  let isOver = false;
  const worst = (async () => {
    while (!isOver) await first.call('PUT', '/coupons', { couponId, ...largest(++changes) });
  })();
  const beside = await measure();
  isOver = true;
  await worst;

  const rows = Object.entries({ alone, 'beside the worst': beside }).map(([name, times]) => [
    name,
    { webhooks: times.length, 'median ms': percentile(times, 0.5), '95th percentile ms': percentile(times, 0.95) },
  ]);
  console.table(Object.fromEntries(rows));
  const ratio = percentile(beside, 0.5) / percentile(alone, 0.5);
  console.log(`Beside ${changes} changes of the largest coupon the median is ${ratio.toFixed(2)} times as long.`);
  receiver.stop();
  if (ratio > maxTimesAsLong) process.exitCode = 1;
});
