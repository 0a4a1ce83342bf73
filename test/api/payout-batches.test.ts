import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { eventCatalogue } from '../../events/catalogue.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { sales, salesInBatch } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { events } from '../../shared/webhooks/delivery/repository.ts';
import { type Api, apiWith, makeAffiliate, makeProgram } from '../support/program.ts';
import { isHeld, makeStoredSale, storeAll, storeQuietSales, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';

const sell = async (api: Api, affiliateId: string, totalEarned: number) => {
  const response = await api.post('/sales', { referralId: affiliateId, totalEarned, commissionRate: 10 });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const saleOf = async (api: Api, id: number) => (await api.get(`/sales?id=${id}`)).body;
const batchOf = async (api: Api, id: string) => (await api.get(`/payout-batches?id=${id}`)).body;

/** Stores sales of 10.00 of commission each, of which only payout batches take notice. */
const owe = async (api: Api, affiliateId: string, count = 1): Promise<StoredSale[]> => {
  const stored = Array.from({ length: count }, () => makeStoredSale(affiliateId));
  await storeQuietSales(api.programId, stored);
  return stored;
};

/** The batch once the background has prepared it. */
const prepared = async (api: Api, id: string, timeout = 15_000) => {
  await expect.poll(async () => (await batchOf(api, id)).status, { timeout, interval: 100 }).not.toBe('PREPARING');
  return batchOf(api, id);
};

const makeBatch = async (api: Api, body: Record<string, unknown> = {}) => {
  const response = await api.post('/payout-batches', body);
  expect(response.status, response.text).toBe(200);
  return prepared(api, response.body.id);
};

const pay = async (api: Api, payoutBatchId: string) => {
  const response = await api.put('/payout-batches', { payoutBatchId, status: 'PAID' });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const stamped = (api: Api, saleId: number) =>
  expect.poll(async () => (await saleOf(api, saleId)).paidAt, { timeout: 30_000 }).not.toBeNull();

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

describe('an affiliate', () => {
  it('cannot be deleted while it is in an unpaid batch, and its paid sales stay', async () => {
    const api = await makeProgram();
    const { id: affiliateId } = await makeAffiliate(api);
    const sale = await sell(api, affiliateId, 100);
    const batch = await makeBatch(api);
    expect((await api.delete('/affiliates', { affiliateId })).status).toBe(409);
    await pay(api, batch.id);
    expect((await api.delete('/affiliates', { affiliateId })).status).toBe(200);
    await stamped(api, sale.id);
    expect((await batchOf(api, batch.id)).payouts).toMatchObject([
      { affiliateId, affiliate: { firstName: 'Amara' }, amount: 10, status: 'PAID' },
    ]);
  });

  it('that is deleted while batches take its sales is either gone or in one of them, never both', async () => {
    for (let round = 0; round < 2; round++) {
      const api = await makeProgram();
      const { id: affiliateId } = await makeAffiliate(api);
      await owe(api, affiliateId, 3);
      const made = api.post('/payout-batches', {});
      const remove = async () => {
        await new Promise((resolve) => setTimeout(resolve, round * 60));
        return api.delete('/affiliates', { affiliateId });
      };
      const [{ body }, removed] = await Promise.all([made, remove()]);
      const batch = await prepared(api, body.id);
      const isGone = removed.status === 200;
      expect(batch.status, `after ${removed.status}`).toBe(isGone ? 'NO_TRANSACTIONS' : 'READY');
      expect((await api.get(`/affiliates?id=${affiliateId}`)).status).toBe(isGone ? 404 : 200);
    }
  });
});

describe('reading', () => {
  it('returns the payouts 100 a page, each once, by Link', async () => {
    const api = await makeProgram();
    const owed = Array.from({ length: 110 }, (_, at) =>
      makeStoredAffiliate({ id: newRecordId(new Date()), email: `${at}@example.com` }),
    );
    await storeAll(unnoticed(owed.flatMap((affiliate) => affiliates.createWrites(api.programId, affiliate))));
    await storeQuietSales(
      api.programId,
      owed.map(({ id }) => makeStoredSale(id)),
    );
    const batch = await makeBatch(api);
    const first = await api.get(`/payout-batches?id=${batch.id}`);
    expect(first.body.payouts).toHaveLength(100);
    const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await api.get(next);
    expect(second.body).toMatchObject({ id: batch.id, totalAmount: 1100 });
    expect(second.headers.get('link')).toBeNull();
    const ids = [...first.body.payouts, ...second.body.payouts].map(({ affiliateId }) => affiliateId);
    expect(ids.sort()).toEqual(owed.map(({ id }) => id).sort());
    expect((await api.get(`/payout-batches?id=${batch.id}&limit=7`)).body.payouts).toHaveLength(7);
    const inPath = await api.get(`/payout-batches/${batch.id}?limit=7`);
    expect(inPath.body.payouts).toEqual(first.body.payouts.slice(0, 7));
    const afterInPath = new URL(/<(.+)>/.exec(inPath.headers.get('link') ?? '')?.[1] ?? '');
    expect((await api.get(afterInPath.href)).body.payouts[0].id).toBe(first.body.payouts[7].id);
    const ofAnotherBatch = `/payout-batches/${(await makeBatch(api)).id}${afterInPath.search}`;
    expect((await api.get(ofAnotherBatch)).status).toBe(400);
    expect((await api.get(`/payout-batches?id=${batch.id}&status=READY`)).status).toBe(400);
  });

  it('lists newest first, by status, says why a batch cannot be paid, and shows nothing to another program', async () => {
    const [api, stranger] = [await makeProgram(), await makeProgram()];
    const older = await makeBatch(api);
    await owe(api, (await makeAffiliate(api)).id);
    const newer = await makeBatch(api);
    const idsAt = async (path: string) => (await api.get(path)).body.map(({ id }: { id: string }) => id);
    expect(await idsAt('/payout-batches')).toEqual([newer.id, older.id]);
    expect(await idsAt('/payout-batches?status=READY')).toEqual([newer.id]);
    expect(await idsAt('/payout-batches?status=NO_TRANSACTIONS')).toEqual([older.id]);
    const paid = await api.put('/payout-batches', { payoutBatchId: older.id, status: 'PAID' });
    expect(paid.body).toEqual({ error: 409, message: expect.stringContaining('NO_TRANSACTIONS') });
    const foreign = await stranger.get(`/payout-batches?id=${newer.id}`);
    const missing = await stranger.get('/payout-batches?id=01900000-0000-7000-8000-000000000005');
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect((await apiWith('nobody').get('/payout-batches')).status).toBe(401);
    const body = { payoutBatchId: newer.id, status: 'PAID' };
    expect((await stranger.put('/payout-batches', body)).status).toBe(404);
    expect((await stranger.delete('/payout-batches', { payoutBatchId: newer.id })).status).toBe(404);
  });
});

describe('CSV', () => {
  it('has a row for each payout, and no cell that a spreadsheet runs', async () => {
    const api = await makeProgram({ currency: 'USD' });
    const affiliate = await makeAffiliate(api, {
      firstName: '=HYPERLINK("https://evil.example","x")',
      lastName: '+1, "quoted" line',
      email: `-evil-${api.programId}@example.com`,
      payoutEmail: `pay-${api.programId}@example.com`,
      paymentMethod: 'PAYPAL',
    });
    await sell(api, affiliate.id, 125);
    const batch = await makeBatch(api);
    const response = await api.get(`/payout-batches?id=${batch.id}`, { accept: 'text/csv' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="payouts-${batch.id}.csv"`);
    expect(parse(response.text, { columns: true })).toEqual([
      {
        payoutId: batch.payouts[0].id,
        affiliateId: affiliate.id,
        firstName: `'=HYPERLINK("https://evil.example","x")`,
        lastName: `'+1, "quoted" line`,
        email: `'-evil-${api.programId}@example.com`,
        payoutEmail: `pay-${api.programId}@example.com`,
        paymentMethod: 'PAYPAL',
        amount: '12.50',
        currency: 'USD',
        saleCount: '1',
        status: 'UNPAID',
      },
    ]);
    const json = await api.get(`/payout-batches?id=${batch.id}`, { accept: 'application/json, text/csv;q=0.5' });
    expect(json.body.id).toBe(batch.id);
    const inPath = await api.get(`/payout-batches/${batch.id}`, { accept: 'text/csv' });
    expect(inPath.text).toBe(response.text);
  });
});

describe('events', () => {
  it('tell that a batch was made, is ready, was paid, renamed and deleted', async () => {
    const api = await makeProgram();
    await sell(api, (await makeAffiliate(api)).id, 100);
    const paid = await makeBatch(api, { name: 'One' });
    await pay(api, paid.id);
    const gone = (await api.post('/payout-batches', {})).body;
    await prepared(api, gone.id);
    await api.put('/payout-batches', { payoutBatchId: gone.id, name: 'Two' });
    await api.delete('/payout-batches', { payoutBatchId: gone.id });
    const found = async () => {
      const { items } = await events.page(api.programId, { limit: 100 });
      return items.filter(({ type }) => type.startsWith('payout_batch.')).map(({ body }) => JSON.parse(body));
    };
    const typesOf = (all: { type: string; data: { id: string } }[], id: string) =>
      all
        .filter(({ data }) => data.id === id)
        .map(({ type }) => type)
        .sort();
    await expect
      .poll(async () => typesOf(await found(), paid.id), { timeout: 30_000 })
      .toEqual(['created', 'paid', 'ready', 'updated', 'updated'].map((verb) => `payout_batch.${verb}`));
    await expect
      .poll(async () => typesOf(await found(), gone.id), { timeout: 30_000 })
      .toEqual(['created', 'deleted', 'updated', 'updated'].map((verb) => `payout_batch.${verb}`));
    const made = await found();
    const ready = made.find(({ type }) => type === 'payout_batch.ready');
    expect(ready.data).toMatchObject({ id: paid.id, status: 'READY', totalAmount: 10, saleCount: 1 });
    for (const event of made) {
      const entry = eventCatalogue.find(({ type }) => type === event.type);
      expect(entry?.schema.safeParse(event).error).toBeUndefined();
    }
  });
});
