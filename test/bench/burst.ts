import { parseArgs } from 'node:util';
import { createLink } from '../../shared/domain/affiliates/create-link.ts';
import { eventCounts } from '../support/events.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { bench, until, watchLoad } from './bench-stack.ts';

// Codes that are created and deleted at once, where every call of a function to the database takes a second:
// `npx node test/bench/burst.ts [--codes 101] [--latency 1000]`. Exit code 1 where it has not all drained in time.
const { values: options } = parseArgs({
  options: {
    codes: { type: 'string', default: '101' },
    latency: { type: 'string', default: '1000' },
    endpoints: { type: 'string', default: '1' },
    links: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '600' },
  },
});
const codes = Number(options.codes);
const latencyMilliseconds = Number(options.latency);
const endpoints = Number(options.endpoints);
const links = Number(options.links);
const maxSeconds = Number(options.seconds);

await bench(
  async ({ programId, client, send, timed }) => {
    const receiver = await startScriptedReceiver();
    const paths = Array.from({ length: endpoints }, (_, at) => `/hook-${at}`);
    await Promise.all(paths.map((path) => client.webhooks.create({ url: receiver.url(path) })));
    const { id: affiliateId } = await client.affiliates.create({ email: 'burst@example.com', firstName: 'Burst' });
    for (let made = 0; made < links; made++)
      await createLink(programId, { affiliateId, link: `burst-${made}` }, new Date());
    await until(async () => ((await eventCounts(programId))['link.created'] ?? 0) >= links);
    const { id: couponId } = await client.coupons.create({ name: 'Burst', percentOff: 20 });
    await timed(`${codes} codes created and their coupon deleted`, async () => {
      for (let made = 0; made < codes; made += 100) {
        const promotionalCodes = Array.from({ length: Math.min(100, codes - made) }, (_, at) => ({
          couponId,
          affiliateId,
          code: `BURST-${made + at}`,
        }));
        const { status, body } = await send('POST', '/promotional-codes/bulk', { promotionalCodes });
        if (status !== 200) throw new Error(JSON.stringify(body));
      }
      await client.coupons.delete(couponId);
    });
    const load = watchLoad();
    const start = performance.now();
    const secondsUntil = async (what: string, isSo: () => Promise<boolean>) => {
      await until(async () => (await isSo()) || performance.now() - start > maxSeconds * 1000);
      const seconds = Math.round((performance.now() - start) / 1000);
      if (seconds < maxSeconds) return { [`seconds until ${what}`]: seconds };
      process.exitCode = 1;
      return { [`not within ${maxSeconds} seconds`]: what };
    };
    const events = await secondsUntil('each code has both events', async () => {
      const counts = await eventCounts(programId);
      return counts['promotional_code.created'] === codes && counts['promotional_code.deleted'] === codes;
    });
    const webhooks = await secondsUntil('every endpoint has received every event', async () =>
      paths.every((path) => {
        const received = receiver.at(path).filter(({ event }) => event.type.startsWith('promotional_code.'));
        return new Set(received.map(({ headers }) => headers['webhook-id'])).size === 2 * codes;
      }),
    );
    console.log({
      codes,
      endpoints,
      ...events,
      ...webhooks,
      'webhooks received': paths.reduce((sum, path) => sum + receiver.at(path).length, 0),
      ...load(),
    });
    receiver.stop();
  },
  { conflictsInFlight: true, latencyMilliseconds },
);
