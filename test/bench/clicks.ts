import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BenchProgram } from './bench-stack.ts';

// Does the API stay quick while many people follow links, and is every click counted? Requests of the API at a steady rate, in
// phases that alternate between alone and beside redirects at a steady rate, which a process of its own sends: a machine whose
// speed drifts favours neither. Exit code 1 where the 95th percentile is too much longer, or a click is lost.
//   --rate N      redirects per second (80)
//   --api N       requests of the API per second (20)
//   --seconds N   of a phase (6)
//   --phases N    of each kind (5)
const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '80' },
    api: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '6' },
    phases: { type: 'string', default: '5' },
  },
});
const [rate, apiRate, seconds, phases] = [options.rate, options.api, options.seconds, options.phases].map(Number) as [
  number,
  number,
  number,
  number,
];
const maxTimesAsLong = 1.5;

/** Runs something at a rate, whether or not what it began before has ended. */
const atRate = async (perSecond: number, forSeconds: number, act: (at: number) => Promise<void>): Promise<void> => {
  const start = performance.now();
  const running: Promise<void>[] = [];
  for (let at = 0; at < perSecond * forSeconds; at++) {
    await sleep(Math.max(0, start + (at * 1000) / perSecond - performance.now()));
    running.push(act(at));
  }
  await Promise.all(running);
};

/** Enough that none comes to its limit of clicks in a minute. On Linux every one of 127.0.0.0/8 is this machine. */
const agents = Array.from(
  { length: 400 },
  (_, at) => new Agent({ keepAlive: true, localAddress: `127.9.${at >> 7}.${(at & 127) + 1}` }),
);

let visitors = 0;

const follow = (address: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const agent = agents[visitors % agents.length];
    const headers = {
      'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 visitor ${process.pid} ${visitors++}`,
    };
    request(address, { ...(agent && { agent }), headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 302));
    })
      .on('error', reject)
      .end();
  });

/** The process that sends redirects, a phase for each message. */
const flood = async (address: string): Promise<void> => {
  process.on('message', async () => {
    let followed = 0;
    await atRate(rate, seconds, async () => {
      if (await follow(address)) followed += 1;
    });
    process.send?.(followed);
  });
  process.send?.('ready');
};

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;

const measureApi = async ({ send }: BenchProgram, affiliateId: string): Promise<number[]> => {
  const times: number[] = [];
  await atRate(apiRate, seconds, async () => {
    const start = performance.now();
    const { status } = await send('GET', `/affiliates/${affiliateId}`);
    if (status !== 200) throw new Error(`The API responded with ${status}`);
    times.push(performance.now() - start);
  });
  return times;
};

const measure = async (): Promise<void> => {
  const { bench, until, watchLoad } = await import('./bench-stack.ts');
  const { getProgram } = await import('../../shared/domain/programs/repository.ts');
  const { updateProgram } = await import('../../shared/domain/programs/update-program.ts');
  await bench(async (program) => {
    const { programId, client, appUrl } = program;
    const before = await getProgram(programId);
    await updateProgram(programId, { ...before, handle: 'bench', baseUrls: ['https://shop.example/'] }, new Date());
    const { id } = await client.affiliates.create({ email: 'a@example.com', firstName: 'A', affiliateLink: 'amara' });
    const child = fork(import.meta.filename, process.argv.slice(2), {
      env: { ...process.env, FLOOD: `${appUrl}/r/bench/amara` },
    });
    await once(child, 'message');
    const floodOnce = async (): Promise<number> => {
      child.send('go');
      const [count] = await once(child, 'message');
      return count;
    };
    let followed = await floodOnce();
    await measureApi(program, id);
    const figures: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
    const loads: object[] = [];
    const processorMilliseconds: number[] = [];
    const spent = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
    for (let phase = 0; phase < phases; phase++) {
      const stopWatching = watchLoad();
      const begun = spent();
      const [times, count] = await Promise.all([measureApi(program, id), floodOnce()]);
      loads.push(stopWatching());
      followed += count;
      figures.beside.push(percentile(times, 0.95));
      // What waits in the queue belongs to the redirects.
      await until(async () => (await clicksOf(program)) >= followed);
      const floodEnded = spent();
      figures.alone.push(percentile(await measureApi(program, id), 0.95));
      // The requests of the API cost the same beside redirects and alone.
      processorMilliseconds.push((2 * floodEnded - begun - spent()) / count);
    }
    child.disconnect();
    await sleep(3000);
    const counted = await clicksOf(program);
    const [alone, beside] = [percentile(figures.alone, 0.5), percentile(figures.beside, 0.5)];
    console.log({
      'redirects a second': rate,
      'API requests a second': apiRate,
      phases,
      'p95 alone, ms, median of phases': Number(alone.toFixed(1)),
      'p95 beside redirects, ms, median of phases': Number(beside.toFixed(1)),
      'times as long': Number((beside / alone).toFixed(2)),
      'processor ms for a redirect, until it is counted': Number(percentile(processorMilliseconds, 0.5).toFixed(2)),
      'clicks followed': followed,
      'clicks counted': counted,
      ...loads[Math.floor(phases / 2)],
    });
    if (counted !== followed || beside > maxTimesAsLong * alone) process.exitCode = 1;
  });
};

const clicksOf = async ({ send }: BenchProgram): Promise<number> =>
  (await send('GET', '/links/link:amara')).body.clicks;

if (process.env.FLOOD) await flood(process.env.FLOOD);
else await measure();
