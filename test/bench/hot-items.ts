import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFaults } from '../../infra/local/faults/settings.ts';
import { type BenchProgram, bench, watchLoad } from './bench-stack.ts';

// Run by hand: `npx node test/bench/hot-items.ts [scenario...]`. What many requests at once do to one code, coupon or
// affiliate while concurrent transactions on one item conflict. Exit code 1 where a request ends in 5xx, or a number is
// not what it has to be. Scenarios: rates, minute, racers, capped, codes, sales, links, referrals,
// bulk.
//   --latency MS   how much longer each call to the database takes (8)
//   --faults N     let N % of the calls fail by chance as well (0)
//   --rate N       sales per second of the scenarios minute and capped (60)
const { values: options, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    latency: { type: 'string', default: '8' },
    faults: { type: 'string', default: '0' },
    rate: { type: 'string', default: '60' },
  },
});
const rate = Number(options.rate);

interface Outcome {
  status: number;
  milliseconds: number;
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

const rows: Record<string, object> = {};
let counts = { calls: 0, conflicts: 0 };
let readCounts = async () => counts;

/** Runs one measurement, and adds its row with what it did to the database and the processors. */
const measured = async (name: string, expected: number, run: () => Promise<Outcome[]>): Promise<void> => {
  const before = await readCounts();
  const loadSince = watchLoad();
  const start = performance.now();
  const outcomes = await run();
  const seconds = (performance.now() - start) / 1000;
  const load = loadSince();
  counts = await readCounts();
  const succeeded = outcomes.filter(({ status }) => status === 200).length;
  report(name, outcomes, seconds, succeeded === expected);
  rows[name] = {
    ...rows[name],
    calls: counts.calls - before.calls,
    'conflicts per request': Number(((counts.conflicts - before.conflicts) / outcomes.length).toFixed(3)),
    ...load,
  };
};

const report = (name: string, outcomes: readonly Outcome[], seconds: number, isRight: boolean): void => {
  const times = outcomes.map(({ milliseconds }) => milliseconds);
  const withStatus = (is: (status: number) => boolean) => outcomes.filter(({ status }) => is(status)).length;
  const failed = withStatus((status) => status >= 500);
  rows[name] = {
    requests: outcomes.length,
    200: withStatus((status) => status === 200),
    '4xx': withStatus((status) => status >= 400 && status < 500),
    '5xx': failed,
    'p50 ms': Math.round(percentile(times, 0.5)),
    'p99 ms': Math.round(percentile(times, 0.99)),
    seconds: Number(seconds.toFixed(1)),
  };
  if (failed > 0 || !isRight) {
    process.exitCode = 1;
    console.log(`${name}: not as it has to be`);
  }
};

const timed = async (send: () => Promise<{ status: number }>): Promise<Outcome> => {
  const start = performance.now();
  const { status } = await send();
  return { status, milliseconds: performance.now() - start };
};

type Send = (at: number) => Promise<{ status: number }>;

const atOnce = async (name: string, count: number, expected: number, send: Send): Promise<void> => {
  await measured(name, expected, () => Promise.all(Array.from({ length: count }, (_, at) => timed(() => send(at)))));
};

/** Sends at a steady rate, whatever becomes of the requests before. */
const atRate = async (
  name: string,
  { perSecond, seconds, expected }: { perSecond: number; seconds: number; expected: number },
  send: Send,
) => {
  await measured(name, expected, async () => {
    const start = performance.now();
    const requests: Promise<Outcome>[] = [];
    while (requests.length < perSecond * seconds) {
      await sleep(Math.max(0, start + (requests.length * 1000) / perSecond - performance.now()));
      const at = requests.length;
      requests.push(timed(() => send(at)));
    }
    return Promise.all(requests);
  });
};

const makeCoupon = (program: BenchProgram, fields: object = {}) =>
  program.client.coupons.create({ name: 'Hot', percentOff: 20, ...fields });
const makeCode = (program: BenchProgram, couponId: string, code: string, fields: object = {}) =>
  program.client.promotionalCodes.create({ couponId, code, ...fields });
const sell =
  (program: BenchProgram, codeOf: (at: number) => string): Send =>
  (at) =>
    program.send('POST', '/sales', { totalEarned: 10, promoCode: codeOf(at), email: `buyer-${at}@example.com` });

/** Waits until the totals worker has counted; throws where it counts more, or too few after a minute. */
const untilCounted = async (program: BenchProgram, code: string, expected: number): Promise<void> => {
  const start = performance.now();
  for (;;) {
    const { timesRedeemed } = await program.client.promotionalCodes.get(`code:${code}`);
    if (timesRedeemed === expected) break;
    if (timesRedeemed > expected || performance.now() - start > 60_000)
      throw new Error(`${code} counts ${timesRedeemed} redemptions instead of ${expected}`);
    await sleep(100);
  }
  console.log(
    `${code}: ${expected} redemptions counted ${((performance.now() - start) / 1000).toFixed(1)} s after the last`,
  );
};

/** Starts as many instances of the function as a rate needs, so that what is measured is not their start. */
const warmUp = async (program: BenchProgram, couponId: string): Promise<void> => {
  await makeCode(program, couponId, 'WARM');
  const sellAt = sell(program, () => 'WARM');
  for (let round = 0; round < 3; round++)
    await Promise.all(Array.from({ length: 30 }, (_, at) => sellAt(round * 30 + at)));
};

const scenarios: Record<string, (program: BenchProgram) => Promise<void>> = {
  rates: async (program) => {
    const { id } = await makeCoupon(program);
    await warmUp(program, id);
    for (const perSecond of [10, 20, 40, 60]) {
      const seconds = 10;
      const code = `RATE-${perSecond}`;
      await makeCode(program, id, code);
      const expected = perSecond * seconds;
      await atRate(
        `${perSecond} sales a second on one code`,
        { perSecond, seconds, expected },
        sell(program, () => code),
      );
      await untilCounted(program, code, expected);
    }
  },
  minute: async (program) => {
    const { id } = await makeCoupon(program);
    await warmUp(program, id);
    await makeCode(program, id, 'MINUTE');
    const expected = rate * 60;
    await atRate(
      `${rate} sales a second for 60 s on one code`,
      { perSecond: rate, seconds: 60, expected },
      sell(program, () => 'MINUTE'),
    );
    await untilCounted(program, 'MINUTE', expected);
  },
  racers: async (program) => {
    const { id } = await makeCoupon(program, { maxRedemptions: 60 });
    await makeCode(program, id, 'RACE', { maxRedemptions: 100 });
    await atOnce(
      '1,000 racers for 60 uses',
      1000,
      60,
      sell(program, () => 'RACE'),
    );
  },
  capped: async (program) => {
    const { id } = await makeCoupon(program);
    await warmUp(program, id);
    await makeCode(program, id, 'CAPPED', { maxRedemptions: 1000 });
    await atRate(
      `${rate} sales a second on a code with 1,000 uses`,
      { perSecond: rate, seconds: Math.ceil(1200 / rate), expected: 1000 },
      sell(program, () => 'CAPPED'),
    );
  },
  codes: async (program) => {
    const { id: couponId } = await makeCoupon(program);
    await atOnce('200 codes of one coupon at once', 200, 200, (at) =>
      program.send('POST', '/promotional-codes', { couponId, code: `CODE-${at}` }),
    );
  },
  sales: async (program) => {
    const { id } = await makeCoupon(program);
    await Promise.all(Array.from({ length: 200 }, (_, at) => makeCode(program, id, `SALE-${at}`)));
    await atOnce(
      '200 sales on 200 codes of one coupon at once',
      200,
      200,
      sell(program, (at) => `SALE-${at}`),
    );
  },
  links: async (program) => {
    const { id: affiliateId } = await program.client.affiliates.create({
      email: 'hot@example.com',
      firstName: 'Hot',
    });
    await atOnce('99 links of one affiliate at once', 99, 99, (at) =>
      program.send('POST', '/links', { link: `hot-link-${at}`, affiliateId }),
    );
  },
  referrals: async (program) => {
    const { id: affiliateId } = await program.client.affiliates.create({
      email: 'popular@example.com',
      firstName: 'Popular',
    });
    await atOnce('200 referrals of one affiliate at once', 200, 200, (at) =>
      program.send('POST', '/referrals', { name: 'Priya', email: `priya-${at}@example.com`, affiliateId }),
    );
  },
  bulk: async (program) => {
    const { id: couponId } = await makeCoupon(program);
    const bulk: Send = (at) => {
      const promotionalCodes = Array.from({ length: 100 }, (_, number) => ({ couponId, code: `BULK-${at}-${number}` }));
      return program.send('POST', '/promotional-codes/bulk', { promotionalCodes });
    };
    await atOnce('one bulk of 100 codes', 1, 1, bulk);
    await atOnce('two bulks of 100 codes at once', 2, 2, (at) => bulk(at + 1));
  },
};

const latencyMilliseconds = Number(options.latency);
const faults = { ...randomFaults(Number(options.faults) / 100), conflictsInFlight: true, latencyMilliseconds };
await bench(async ({ anotherProgram, faultCounts }) => {
  readCounts = faultCounts;
  for (const [name, run] of Object.entries(scenarios))
    if (chosen.length === 0 || chosen.includes(name)) await run(await anotherProgram());
  console.table(rows);
}, faults);
