import { describe, expect, it } from 'vitest';
import { sales, salesInBatch } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { isHeld, makeStoredSale, storeQuietSales } from '../support/sales.ts';
import { batchOf, makeBatch, owe, pay, prepared, saleOf, sell, stamped } from './payout-calls.ts';

const freed = (api: Api, saleId: string | undefined) =>
  expect.poll(async () => (await saleOf(api, Number(saleId))).payoutBatchId, { timeout: 30_000 }).toBeNull();

/** All sales of a program that are in a batch. */
const salesOf = async (programId: string, batchId: string): Promise<StoredSale[]> => {
  const found: StoredSale[] = [];
  let after: string | undefined;
  do {
    const page = await sales.page(programId, { limit: 500, after }, salesInBatch(batchId));
    found.push(...page.items);
    after = page.next;
  } while (after);
  return found;
};

const sumMinor = (stored: readonly StoredSale[]) => stored.reduce((sum, sale) => sum + sale.commissionEarnedMinor, 0);

describe('preparing', () => {
  it('returns at once with PREPARING, then makes one exact payout an affiliate', async () => {
    const api = await makeProgram();
    const [amara, bo] = [await makeAffiliate(api), await makeAffiliate(api, { firstName: 'Bo', lastName: 'Li' })];
    for (const total of [0.1 * 10, 0.2 * 10, 33.37]) await sell(api, amara.id, total);
    const sale = await sell(api, bo.id, 250);
    const created = await api.post('/payout-batches', { name: 'October' });
    expect(created.body).toMatchObject({ status: 'PREPARING', payoutCount: 0, totalAmount: 0, name: 'October' });
    const batch = await prepared(api, created.body.id);
    expect(batch).toMatchObject({
      status: 'READY',
      currency: 'USD',
      payoutCount: 2,
      saleCount: 4,
      totalAmount: 28.64,
      paidAt: null,
    });
    expect(batch.payouts).toHaveLength(2);
    expect(batch.payouts).toContainEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      affiliateId: bo.id,
      affiliate: { id: bo.id, firstName: 'Bo', lastName: 'Li', email: bo.email },
      amount: 25,
      saleCount: 1,
      status: 'UNPAID',
      paidAt: null,
      promotionalCode: null,
    });
    expect(batch.payouts).toContainEqual(
      expect.objectContaining({ affiliateId: amara.id, amount: 3.64, saleCount: 3 }),
    );
    expect((await saleOf(api, sale.id)).payoutBatchId).toBe(batch.id);
  });

  it('ends the period now at the latest', async () => {
    const api = await makeProgram();
    const batch = (await api.post('/payout-batches', { periodEnd: '2099-01-01T00:00:00Z' })).body;
    expect(batch.periodEnd).toBe(batch.createdAt);
    const later = await api.post('/payout-batches', { periodStart: '2098-01-01T00:00:00Z' });
    expect(later.status).toBe(400);
    expect(later.body.error).toContain('periodStart must be before periodEnd');
    const period = { periodStart: '2026-01-10T00:00:00Z', periodEnd: '2026-01-20T01:00:00+01:00' };
    expect((await api.post('/payout-batches', period)).body).toMatchObject({
      periodStart: '2026-01-10T00:00:00.000Z',
      periodEnd: '2026-01-20T00:00:00.000Z',
    });
  });
});

describe('two batches made at the same moment', () => {
  it('share no sale and leave none out', {
    timeout: 120_000,
  }, async () => {
    const api = await makeProgram();
    const affiliates = await Promise.all(Array.from({ length: 4 }, () => makeAffiliate(api)));
    const stored = Array.from({ length: 200 }, (_, at) =>
      makeStoredSale(affiliates[at % 4].id, { commissionEarnedMinor: 1 + ((at * 7919) % 100_003) }),
    );
    await storeQuietSales(api.programId, stored);
    const [one, other] = await Promise.all([api.post('/payout-batches', {}), api.post('/payout-batches', {})]);
    const batches = [await prepared(api, one.body.id, 90_000), await prepared(api, other.body.id, 90_000)];
    const claimed = await Promise.all(batches.map(({ id }) => salesOf(api.programId, id)));
    expect(new Set(claimed.flat().map(({ id }) => id)).size).toBe(200);
    expect(claimed.flat()).toHaveLength(200);
    for (const [at, batch] of batches.entries()) {
      const own = claimed[at] ?? [];
      expect(batch.saleCount).toBe(own.length);
      expect(batch.totalAmount).toBe(sumMinor(own) / 100);
      for (const payout of batch.payouts)
        expect(payout.amount).toBe(sumMinor(own.filter((sale) => sale.affiliateId === payout.affiliateId)) / 100);
    }
  });
});

describe('marking paid', () => {
  it('stamps the batch, its payouts and its sales, once', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api);
    const sale = await sell(api, id, 100);
    const batch = await makeBatch(api);
    expect(await isHeld(api.programId, id)).toBe(true);
    const paid = await pay(api, batch.id);
    expect(paid).toMatchObject({ status: 'PAID', paidAt: paid.updatedAt });
    expect(await isHeld(api.programId, id)).toBe(false);
    expect((await batchOf(api, batch.id)).payouts).toMatchObject([{ status: 'PAID', paidAt: paid.paidAt }]);
    await stamped(api, sale.id);
    expect(await saleOf(api, sale.id)).toMatchObject({ payoutBatchId: batch.id, paidAt: paid.paidAt });
    expect((await api.put('/payout-batches', { payoutBatchId: batch.id, status: 'PAID' })).status).toBe(409);
    expect((await api.delete('/payout-batches', { payoutBatchId: batch.id })).status).toBe(409);
  });
});

describe('deleting', () => {
  it('makes the sales unpaid again, for the next batch', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api);
    const [sale] = await owe(api, id);
    const batch = await makeBatch(api, { name: 'Mistake' });
    const deleted = await api.delete('/payout-batches', { payoutBatchId: batch.id });
    expect(deleted.body).toMatchObject({ deletedPayoutBatch: { id: batch.id, name: 'Mistake' } });
    expect((await api.get(`/payout-batches?id=${batch.id}`)).status).toBe(404);
    expect((await api.delete('/payout-batches', { payoutBatchId: batch.id })).body).toEqual({
      error: 404,
      message: 'Payout batch not found',
    });
    await freed(api, sale?.id);
    await expect.poll(() => isHeld(api.programId, id)).toBe(false);
    expect(await makeBatch(api)).toMatchObject({ saleCount: 1, totalAmount: 10 });
  });

  it('while it is being prepared leaves no sale behind', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api);
    await owe(api, id, 150);
    const { body } = await api.post('/payout-batches', {});
    await expect
      .poll(async () => (await salesOf(api.programId, body.id)).length, { interval: 5, timeout: 30_000 })
      .toBeGreaterThan(0);
    expect((await api.delete('/payout-batches', { payoutBatchId: body.id })).status).toBe(200);
    await expect.poll(() => isHeld(api.programId, id), { timeout: 30_000 }).toBe(false);
    expect(await salesOf(api.programId, body.id)).toEqual([]);
    expect(await makeBatch(api)).toMatchObject({ saleCount: 150, totalAmount: 1500 });
  });
});

describe('refunds', () => {
  it('inside a batch that is deleted then come off the sale itself, one by one and for every edit', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api);
    const sale = await sell(api, id, 100);
    const batch = await makeBatch(api);
    for (const amount of [30, 10]) await api.patch('/sales', { saleId: sale.id, amount });
    expect((await saleOf(api, sale.id)).commissionEarned).toBe(10);
    await api.delete('/payout-batches', { payoutBatchId: batch.id });
    await expect.poll(() => isHeld(api.programId, id), { timeout: 30_000 }).toBe(false);
    expect((await saleOf(api, sale.id)).commissionEarned).toBe(6);
    expect((await api.put('/sales', { saleId: sale.id, totalEarned: 200 })).body.commissionEarned).toBe(16);
    expect((await api.patch('/sales', { saleId: sale.id, amount: 10 })).status).toBe(200);
    expect(await makeBatch(api)).toMatchObject({ saleCount: 1, totalAmount: 15 });
    await expect.poll(async () => (await api.get(`/affiliates?id=${id}`)).body.totalCommissionEarned).toBe(15);
  });
});
