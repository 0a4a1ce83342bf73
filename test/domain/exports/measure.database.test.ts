import { expect, it } from 'vitest';
import { storeAffiliate } from '../../support/domain.ts';
import { makeStoredSale, storeSales } from '../../support/sales.ts';
import { exportWorld } from './export-world.ts';

it('measures', { timeout: 500_000 }, async () => {
  const world = await exportWorld();
  const owners = [];
  for (let at = 0; at < 200; at++) owners.push(await storeAffiliate(world.program));
  const count = Number(process.env.SALES ?? 5000);
  for (let at = 0; at < count; at += 5000) {
    await storeSales(world.programId, Array.from({ length: 5000 }, (_, n) => makeStoredSale(owners[n % 200]!.id, { email: `c${at + n}@example.com`, name: 'Some Body', externalId: `order-${at + n}`, metadata: { plan: 'pro', seats: 'ten' } })));
  }
  const since = performance.now();
  let peak = 0;
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 50);
  const before = process.memoryUsage().rss;
  const { record } = await world.run();
  clearInterval(timer);
  (await import('node:fs')).appendFileSync('/tmp/measured.txt', ['MEASURED', count, Math.round(performance.now() - since), 'ms', record.bytes, 'bytes', Math.round(before/1e6), Math.round(peak / 1e6), 'MB', JSON.stringify(record.counts)].join(' ') + '\n');
  expect(record.counts.sales).toBe(count);
});
