import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchProgram, bench } from './bench-stack.ts';

// Run by hand: `npx node test/bench/hot-items.ts [scenario...]`. What many requests at once do to one code, coupon or
// affiliate. Exit code 1 where a request ends in 5xx, or a number is not what it has to be. Scenarios: rates, racers,
// capped, codes, sales, links, bulk.

interface Outcome {
  status: number;
  milliseconds: number;
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

const rows: Record<string, object> = {};
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
  const start = performance.now();
  const outcomes = await Promise.all(Array.from({ length: count }, (_, at) => timed(() => send(at))));
  const succeeded = outcomes.filter(({ status }) => status === 200).length;
  report(name, outcomes, (performance.now() - start) / 1000, succeeded === expected);
};

/** Sends at a steady rate, whatever becomes of the requests before. */
const atRate = async (
  name: string,
  { perSecond, seconds, expected }: { perSecond: number; seconds: number; expected: number },
  send: Send,
) => {
  const start = performance.now();
  const requests: Promise<Outcome>[] = [];
  while (requests.length < perSecond * seconds) {
    await sleep(Math.max(0, start + (requests.length * 1000) / perSecond - performance.now()));
    const at = requests.length;
    requests.push(timed(() => send(at)));
  }
  const outcomes = await Promise.all(requests);
  const succeeded = outcomes.filter(({ status }) => status === 200).length;
  report(name, outcomes, (performance.now() - start) / 1000, succeeded === expected);
};

const makeCoupon = (program: BenchProgram, fields: object = {}) =>
  program.call('POST', '/coupons', { name: 'Hot', percentOff: 20, ...fields });
const makeCode = (program: BenchProgram, couponId: string, code: string, fields: object = {}) =>
  program.call('POST', '/promotional-codes', { couponId, code, ...fields });
const sell =
  (program: BenchProgram, codeOf: (at: number) => string): Send =>
  (at) =>
    program.send('POST', '/sales', { totalEarned: 10, promoCode: codeOf(at), email: `buyer-${at}@example.com` });

/** Waits until the totals worker has counted; throws where it counts more, or too few after a minute. */
const untilCounted = async (program: BenchProgram, code: string, expected: number): Promise<void> => {
  const start = performance.now();
  for (;;) {
    const { timesRedeemed } = await program.call('GET', `/promotional-codes?code=${code}`);
    if (timesRedeemed === expected) break;
    if (timesRedeemed > expected || performance.now() - start > 60_000)
      throw new Error(`${code} counts ${timesRedeemed} redemptions instead of ${expected}`);
    await sleep(100);
  }
  console.log(
    `${code}: ${expected} redemptions counted ${((performance.now() - start) / 1000).toFixed(1)} s after the last`,
  );
};

const scenarios: Record<string, (program: BenchProgram) => Promise<void>> = {
  rates: async (program) => {
    const { id } = await makeCoupon(program);
    for (const [perSecond, seconds] of [
      [10, 10],
      [20, 10],
      [40, 10],
      [80, 10],
      [200, 10],
    ] as const) {
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
    await makeCode(program, id, 'CAPPED', { maxRedemptions: 1000 });
    const rate = { perSecond: 100, seconds: 12, expected: 1000 };
    await atRate(
      '100 sales a second on a code with 1,000 uses',
      rate,
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
    const { id: affiliateId } = await program.call('POST', '/affiliates', {
      email: 'hot@example.com',
      firstName: 'Hot',
    });
    await atOnce('99 links of one affiliate at once', 99, 99, (at) =>
      program.send('POST', '/links', { link: `hot-link-${at}`, affiliateId }),
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

const chosen = process.argv.slice(2);
await bench(async ({ anotherProgram }) => {
  for (const [name, run] of Object.entries(scenarios))
    if (chosen.length === 0 || chosen.includes(name)) await run(await anotherProgram());
  console.table(rows);
});
