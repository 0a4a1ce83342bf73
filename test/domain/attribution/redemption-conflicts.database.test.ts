import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDomainTables } from '../../support/domain-tables.ts';
import { startGuardedTables } from '../../support/guarded-table.ts';

// Against a database that cancels transactions in flight on a common item, as DynamoDB does. The modules are loaded anew,
// because the client of the tables that other tests use is for another database.

let tables: Awaited<ReturnType<typeof startGuardedTables>>;
beforeAll(async () => {
  const names = { records: `records-${randomUUID()}`, traffic: `traffic-${randomUUID()}` };
  tables = await startGuardedTables(createDomainTables(names));
  await tables.setFaults({ conflictsInFlight: true, latencyMilliseconds: 8 });
  const environment = { ...tables.environment, RECORDS_TABLE: names.records, TRAFFIC_TABLE: names.traffic };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.resetModules();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  // The tests of this worker that follow must not keep the client of a database that has ended.
  vi.resetModules();
  await tables.stop();
});

it('a code with 40 uses that is sold 100 times a second is sold 40 times, and then never again, conflicts included', async () => {
  const { redeemAtRate } = await import('../../support/redeem.ts');
  const { newProgram, storeCode, storeCoupon } = await import('../../support/domain.ts');
  const program = newProgram();
  const coupon = await storeCoupon(program);
  const { code } = await storeCode(program, coupon, { maxRedemptions: 40 });
  const outcomes = await redeemAtRate({ program, code, perSecond: 100, count: 60 });
  expect(Map.groupBy(outcomes, ({ outcome }) => outcome).get('sold')).toHaveLength(40);
  expect(Map.groupBy(outcomes, ({ outcome }) => outcome).get('code_limit_reached')).toHaveLength(20);
  expect((await tables.faultCounts()).conflicts).toBeGreaterThan(0);
});
