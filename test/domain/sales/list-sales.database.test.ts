import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findSale, listSales, salesByReference } from '../../../shared/domain/sales/list-sales.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { incrementDayWrite, salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { lastDaysIn } from '../../../shared/platform/time/days.ts';
import {
  at,
  expectRefusal,
  newProgram,
  now,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { makeStoredSale } from '../../support/sales.ts';

describe('a list of sales', () => {
  const program = newProgram();
  const filters = {
    affiliateId: randomUUID(),
    referralId: randomUUID(),
    promotionalCodeId: randomUUID(),
    payoutBatchId: randomUUID(),
    status: 'PARTIALLY_REFUNDED',
  } as const;
  const { affiliateId, ...fields } = filters;
  /** One sale that every filter keeps, and for each filter one that it alone leaves out. */
  const stored = (async () => {
    const all = await storeSale(program, affiliateId, fields);
    const others = {
      affiliateId: await storeSale(program, randomUUID(), fields),
      referralId: await storeSale(program, affiliateId, { ...fields, referralId: randomUUID() }),
      promotionalCodeId: await storeSale(program, affiliateId, { ...fields, promotionalCodeId: null }),
      payoutBatchId: await storeSale(program, affiliateId, { ...fields, payoutBatchId: randomUUID() }),
      status: await storeSale(program, affiliateId, { ...fields, status: 'ACTIVE' }),
    };
    return { all, others };
  })();
  const names = Object.keys(filters) as (keyof typeof filters)[];
  const listed = async (query: Parameters<typeof listSales>[1]) =>
    new Set((await listSales(program.id, query, { limit: 100 })).items.map(({ id }) => id));

  it('has all of them without a filter', async () => {
    const { all, others } = await stored;
    expect(await listed({})).toEqual(new Set([all, ...Object.values(others)].map(({ id }) => id)));
  });

  it.each(names)('by %s leaves out what differs in it alone', async (name) => {
    const { all, others } = await stored;
    const kept = [all, ...names.filter((other) => other !== name).map((other) => others[other])];
    expect(await listed({ [name]: filters[name] })).toEqual(new Set(kept.map(({ id }) => id)));
  });

  it.each(names)('by every filter but %s keeps what differs in it alone', async (name) => {
    const { all, others } = await stored;
    const { [name]: _name, ...rest } = filters;
    expect(await listed(rest)).toEqual(new Set([all.id, others[name].id]));
  });

  it.each(names)('by %s reads nothing that it leaves out', async (name) => {
    const { others } = await stored;
    const { found } = await roundTripsOf(() => listSales(program.id, { [name]: filters[name] }, { limit: 100 }));
    expect(found).toHaveLength(Object.keys(others).length);
  });

  it('by several filters reads by the one that matches least', async () => {
    const own = newProgram();
    const referralId = randomUUID();
    await storeSale(own, affiliateId, { referralId });
    await storeSale(own, affiliateId);
    for (const query of [{ affiliateId, status: 'ACTIVE' } as const, { affiliateId, referralId }]) {
      const { found } = await roundTripsOf(() => listSales(own.id, query, { limit: 100 }));
      expect(found).toHaveLength('referralId' in query ? 1 : 2);
    }
  });

  it('by the email of an affiliate has its sales, and none if there is no such affiliate', async () => {
    const own = newProgram();
    const affiliate = await storeAffiliate(own, { email: 'amara@example.com' });
    const sale = await storeSale(own, affiliate.id);
    await storeSale(own, randomUUID());
    const idsOf = async (affiliateEmail: string) =>
      (await listSales(own.id, { affiliateEmail }, { limit: 10 })).items.map(({ id }) => id);
    expect([await idsOf('amara@example.com'), await idsOf('other@example.com')]).toEqual([[sale.id], []]);
  });
});

describe('the indexes of a sale', () => {
  const indexed = (overrides: Partial<StoredSale>) => {
    const [write] = sales.createWrites('p', makeStoredSale('a', overrides));
    return Object.entries(write?.Put?.Item ?? {})
      .filter(([name]) => /^gsi\dpk$/.test(name))
      .map(([name, key]) => `${name} ${key}`)
      .sort();
  };

  it('are its status and, while it waits for a batch, the payable sales', () => {
    expect(indexed({ affiliateId: null })).toEqual([expect.stringMatching(/^gsi5pk .*ACTIVE$/)]);
    expect(indexed({}).map((entry) => entry.slice(0, 6))).toEqual(['gsi1pk', 'gsi5pk', 'gsi6pk']);
  });

  it('are all that it belongs to', () => {
    const owners = { referralId: 'r', promotionalCodeId: 'c', payoutBatchId: 'b', affiliateLinkId: 'l' };
    expect(indexed({ ...owners, status: 'REFUNDED' })).toEqual([
      expect.stringMatching(/^gsi1pk .*AFFILIATE#a$/),
      expect.stringMatching(/^gsi2pk .*REFERRAL#r$/),
      expect.stringMatching(/^gsi3pk .*CODE#c$/),
      expect.stringMatching(/^gsi4pk .*BATCH#b$/),
      expect.stringMatching(/^gsi5pk .*STATUS#REFUNDED$/),
      expect.stringMatching(/^gsi7pk .*LINK#l$/),
    ]);
  });
});

describe('one sale', () => {
  it('is found by its number and by each external id, and is 404 otherwise', async () => {
    const program = newProgram();
    const sale = await storeSale(program, 'a', { externalId: 'order-1', externalInvoiceId: 'invoice-1' });
    await storeSale(program, 'a', { externalId: 'invoice-1', externalInvoiceId: 'order-1' });
    for (const [name, value] of [
      ['id', String(Number(sale.id))],
      ['externalId', 'order-1'],
      ['externalInvoiceId', 'invoice-1'],
    ] as const)
      expect((await findSale(program.id, { name, value })).id).toBe(sale.id);
    await expectRefusal(() => findSale(program.id, { name: 'externalId', value: 'order-2' }), { status: 404 });
    await expectRefusal(() => findSale(program.id, { name: 'id', value: '1' }), { status: 404 });
  });

  it('is found by any of its references, once, and first by its number', async () => {
    const program = newProgram();
    const sale = await storeSale(program, 'a', { externalId: 'order-1', externalInvoiceId: 'order-1' });
    const number = String(Number(sale.id));
    const named = await storeSale(program, 'a', { externalId: number, externalInvoiceId: `${number}0` });
    const idsOf = async (reference: string) => (await salesByReference(program.id, reference)).map(({ id }) => id);
    expect(await idsOf('order-1')).toEqual([sale.id]);
    expect(await idsOf(number)).toEqual([sale.id, named.id]);
    expect(await idsOf(`${number}0`)).toEqual([named.id]);
    for (const reference of ['order-2', `${number} `, `x${number}`, `00${number}`])
      expect(await idsOf(reference)).toEqual([]);
  });
});

/** What the days have beside what a test counts. */
const quiet = { codeCount: 0, linkCount: 0, clicks: 0, referrals: 0, refundsMinor: 0n };

describe('the sales of the last days', () => {
  const day = (days: number): string => at(days * 24 * 60 * 60 * 1000).slice(0, 10);
  const add = (program: TestProgram, when: string, sales: bigint, revenueMinor: bigint, commissionMinor: bigint) =>
    writeTogether([incrementDayWrite(program.id, when, { sales, revenueMinor, commissionMinor })]);

  it('end today, and have a line for a day without a sale', async () => {
    const program = newProgram();
    await add(program, day(-3), 9n, 9n, 9n);
    await add(program, day(-2), 1n, 1000n, 100n);
    await add(program, day(0), 2n, 500n, 50n);
    await add(program, day(1), 9n, 9n, 9n);
    expect(await salesByDay(program.id, lastDaysIn('UTC', 3, now))).toEqual([
      { ...quiet, day: day(-2), count: 1, revenueMinor: 1000n, commissionMinor: 100n },
      { ...quiet, day: day(-1), count: 0, revenueMinor: 0n, commissionMinor: 0n },
      { ...quiet, day: day(0), count: 2, revenueMinor: 500n, commissionMinor: 50n },
    ]);
  });

  it('count what changes on a day that had sales, and nothing on one that had none', async () => {
    const program = newProgram();
    await add(program, day(0), 1n, 1000n, 100n);
    await writeTogether([incrementDayWrite(program.id, day(0), { revenueMinor: -400n })]);
    await writeTogether([incrementDayWrite(program.id, day(0), { commissionMinor: -40n })]);
    for (const sales of [0n, -1n])
      await expect(add(program, day(-1), sales, -1n, 0n)).rejects.toThrow(`Nothing happened on ${day(-1)}`);
    expect(await salesByDay(program.id, lastDaysIn('UTC', 2, now))).toEqual([
      { ...quiet, day: day(-1), count: 0, revenueMinor: 0n, commissionMinor: 0n },
      { ...quiet, day: day(0), count: 1, revenueMinor: 600n, commissionMinor: 60n },
    ]);
  });
});
