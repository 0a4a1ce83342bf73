import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createPromotionalCode as codeOperation } from '../../../shared/contract/promotional-codes.ts';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
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

it('sales by a code without a limit and referrals of one affiliate never conflict, beside their totals', async () => {
  const { createSale } = await import('../../../shared/domain/sales/create-sale.ts');
  const { createReferral } = await import('../../../shared/domain/referrals/create-referral.ts');
  const { createPromotionalCode } = await import('../../../shared/domain/promotional-codes/create-promotional-code.ts');
  const { countableChangesOf, updateTotals } = await import('../../../shared/domain/totals/update-totals.ts');
  const { changeRecord } = await import('../../support/changes.ts');
  const { bodyOf, newProgram, now, storeAffiliate, storeCoupon } = await import('../../support/domain.ts');
  const program = newProgram();
  const { id: affiliateId } = await storeAffiliate(program);
  const { id: couponId } = await storeCoupon(program);
  const create = (code: string) =>
    createPromotionalCode(program, bodyOf(codeOperation, { couponId, affiliateId, code }), now);
  const sell = (number: number) =>
    createSale(
      program,
      bodyOf(saleOperation, { totalEarned: 10, promoCode: 'BESIDE-0', email: `${number}@example.com` }),
      // Of 20 sales in one millisecond, two would get the same id in one of 22 runs, and conflict for that.
      new Date(now.getTime() + number),
    );
  const refer = (number: number) =>
    createReferral(
      program,
      bodyOf(referralOperation, { name: 'Priya', email: `priya-${number}@example.com`, affiliateId }),
      now,
    );
  const atOnce = <Made>(count: number, act: (at: number) => Promise<Made>) =>
    Promise.all(Array.from({ length: count }, (_, at) => act(at)));

  const before = (await tables.faultCounts()).conflicts;
  await atOnce(20, (at) => create(`BESIDE-${at}`));
  const [sold, referred] = [await atOnce(20, sell), await atOnce(20, refer)];
  const changes = await countableChangesOf([
    ...sold.map((after) => changeRecord(program, 'SALE', { after })),
    ...referred.map((after) => changeRecord(program, 'REFERRAL', { after })),
  ]);
  const more = (act: typeof sell | typeof refer) => atOnce<unknown>(20, (at) => act(20 + at));
  await Promise.all([more(sell), more(refer), updateTotals(changes, now)]);
  expect((await tables.faultCounts()).conflicts).toBe(before);
});
