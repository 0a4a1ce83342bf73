import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDomainTables } from '../support/domain-tables.ts';
import { startGuardedTables } from '../support/guarded-table.ts';

// Against a database of which each call takes longer. The modules are loaded anew, because the client of the tables that
// other tests use is for another database. `npx node test/bench/burst.ts` does the same with a whole stack.

let tables: Awaited<ReturnType<typeof startGuardedTables>>;
let names: { records: string; traffic: string };
beforeAll(async () => {
  names = { records: `records-${randomUUID()}`, traffic: `traffic-${randomUUID()}` };
  tables = await startGuardedTables(createDomainTables(names));
  const environment = { ...tables.environment, RECORDS_TABLE: names.records, TRAFFIC_TABLE: names.traffic };
  for (const [name, value] of Object.entries(environment))
    if (!name.endsWith('SECRETS_MANAGER')) vi.stubEnv(name, value);
  vi.resetModules();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  // The tests of this worker that follow must not keep the client of a database that has ended.
  vi.resetModules();
  await tables.stop();
});

it('a burst is fanned out to every endpoint at once, though its calls wait longer than one may take', async () => {
  const { fanOut } = await import('../../shared/webhooks/fan-out/fan-out.ts');
  const { deliveries } = await import('../../shared/webhooks/delivery/repository.ts');
  const { queues } = await import('../../shared/platform/queue/send.ts');
  const { newRecordId } = await import('../../shared/platform/table/record-id.ts');
  const { changeRecord } = await import('../support/changes.ts');
  const { now } = await import('../support/domain.ts');
  const { makeStoredCoupon } = await import('../support/stored-records.ts');
  const { storeProgram, storeWebhook } = await import('../support/webhooks.ts');
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  let sent = 0;
  vi.stubEnv('DELIVERIES_QUEUE_URL', 'deliveries');
  vi.spyOn(queues, 'send').mockImplementation((async ({ input }: { input: { Entries: unknown[] } }) => {
    sent += input.Entries.length;
    return { Failed: [] };
  }) as never);
  const program = await storeProgram();
  for (let made = 0; made < 25; made++) await storeWebhook(program.id);
  const changes = Array.from({ length: 20 }, () =>
    changeRecord(program, 'COUPON', {
      after: makeStoredCoupon({ id: newRecordId(now), createdAt: now.toISOString(), updatedAt: now.toISOString() }),
    }),
  );
  await tables.setFaults({ latencyMilliseconds: 1000 });
  expect(await fanOut(changes, () => now)).toBeUndefined();
  await tables.setFaults({});
  expect(logged.mock.calls).toEqual([]);
  expect(sent).toBe(20 * 25);
  expect((await deliveries.page(program.id, { limit: 500 })).items).toHaveLength(500);
}, 60_000);
