import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedReceiver } from '../support/receiver.ts';
import { type BenchProgram, bench, until, watchProcessors } from './bench-stack.ts';

// Run by hand, for some minutes: `npx node test/bench/hanging-endpoints.ts`. Eight programs have 50 endpoints each that
// do not respond until the deadline, and change something every five seconds. The median of another program from the commit
// of a change to its webhook is compared with what it is without them. Exit code 1 where it is more than one and a half
// times as long.

const hangingPrograms = 8;
const endpointsOfEach = 50;
const measuredMilliseconds = 30_000;
const millisecondsBetweenChanges = 200;
const maxTimesAsLong = 1.5;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

await bench(async ({ anotherProgram }) => {
  const arrivals: number[] = [];
  const receiver = await startScriptedReceiver(({ path, event }) => {
    if (path !== '/responses') return 'hang';
    arrivals.push(Date.now() - Date.parse(event.data.updatedAt));
    return 204;
  });
  const withEndpoints = async (path: string, count: number): Promise<BenchProgram> => {
    const program = await anotherProgram();
    for (let made = 0; made < count; made++)
      await program.client.webhooks.create({ url: receiver.url(`${path}/${made}`), eventTypes: ['coupon.created'] });
    return program;
  };
  const paying = await anotherProgram();
  await paying.client.webhooks.create({ url: receiver.url('/responses'), eventTypes: ['coupon.created'] });
  const makeCoupon = (program: BenchProgram) => program.client.coupons.create({ name: 'Bench', percentOff: 20 });

  const measure = async () => {
    arrivals.length = 0;
    let made = 0;
    const processors = watchProcessors();
    const start = performance.now();
    while (performance.now() - start < measuredMilliseconds) {
      await sleep(Math.max(0, start + made * millisecondsBetweenChanges - performance.now()));
      await makeCoupon(paying);
      made += 1;
    }
    const processorShare = processors();
    await until(async () => arrivals.length >= made);
    return { times: [...arrivals], processorShare };
  };

  await makeCoupon(paying);
  await measure();
  const alone = await measure();

  const hanging = await Promise.all(
    Array.from({ length: hangingPrograms }, (_, at) => withEndpoints(`/hangs/${at}`, endpointsOfEach)),
  );
  let isOver = false;
  const load = Promise.all(
    hanging.map(async (program) => {
      while (!isOver) {
        await makeCoupon(program);
        await sleep(5000);
      }
    }),
  );
  const first = await measure();
  const later = await measure();
  isOver = true;
  await load;

  const rows = { alone, 'first with the hanging': first, 'later with the hanging': later };
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, { times, processorShare }]) => [
        name,
        {
          webhooks: times.length,
          'median ms': percentile(times, 0.5),
          '95th percentile ms': percentile(times, 0.95),
          'processors busy': `${Math.round(100 * processorShare)} %`,
        },
      ]),
    ),
  );
  const ratio = Math.max(percentile(first.times, 0.5), percentile(later.times, 0.5)) / percentile(alone.times, 0.5);
  console.log(
    `With ${hangingPrograms * endpointsOfEach} hanging endpoints the median is ${ratio.toFixed(2)} times as long.`,
  );
  receiver.stop();
  if (ratio > maxTimesAsLong) process.exitCode = 1;
});
