import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { eventCatalogue } from '../../events/catalogue.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { events } from '../../shared/webhooks/delivery/repository.ts';
import { apiWith, makeAffiliate, makeProgram } from '../support/program.ts';
import { makeStoredSale, storeAll, storeQuietSales, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';
import { batchOf, makeBatch, owe, pay, prepared, sell, stamped } from './payout-calls.ts';

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
        promotionalCode: '',
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
