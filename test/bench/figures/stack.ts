import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedReceiver } from '../../support/receiver.ts';
import { bench, until } from '../bench-stack.ts';

export interface StackFigures {
  /** From the time of a change to its webhook's arrival, at 10 changes a second. */
  deliveryMilliseconds: { median: number; p95: number; webhooks: number };
  requestsPerSecond: { read: number; write: number };
  /** Of the whole process with all functions and embedded servers, without the database's. */
  residentMegabytes: number;
}

const changes = 200;
const millisecondsBetween = 100;
const loadSeconds = 10;
const lanes = 10;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

/** How many requests a second ten clients get answered, one after the other each. */
const requestsPerSecond = async (request: () => Promise<{ status: number }>): Promise<number> => {
  const end = performance.now() + loadSeconds * 1000;
  let responded = 0;
  const lane = async () => {
    while (performance.now() < end) {
      const { status } = await request();
      if (status !== 200) throw new Error(`A request returned ${status}`);
      responded += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return Math.round(responded / loadSeconds);
};

/** Commit to delivery, throughput and memory of the local stack. They depend on the machine. */
export const measureStack = async (): Promise<StackFigures> => {
  let figures: StackFigures | undefined;
  await bench(async ({ client, send }) => {
    const arrivals: number[] = [];
    const receiver = await startScriptedReceiver(({ event }) => {
      arrivals.push(Date.now() - Date.parse(event.data.updatedAt));
      return 204;
    });
    await client.webhooks.create({ url: receiver.url('/'), eventTypes: ['coupon.created'] });
    const create = () => send('POST', '/coupons', { name: 'Spring', percentOff: 20 });
    await create();
    await until(async () => arrivals.length === 1);
    arrivals.length = 0;
    for (let at = 0; at < changes; at++) {
      await create();
      await sleep(millisecondsBetween);
    }
    await until(async () => arrivals.length >= changes);
    const deliveryMilliseconds = {
      median: percentile(arrivals, 0.5),
      p95: percentile(arrivals, 0.95),
      webhooks: arrivals.length,
    };
    receiver.stop();
    const { id } = (await create()).body;
    const read = await requestsPerSecond(() => send('GET', `/coupons/${id}`));
    const write = await requestsPerSecond(create);
    const residentMegabytes = Math.round(process.memoryUsage.rss() / 1024 / 1024);
    figures = { deliveryMilliseconds, requestsPerSecond: { read, write }, residentMegabytes };
  });
  if (!figures) throw new Error('The stack was not measured');
  return figures;
};
