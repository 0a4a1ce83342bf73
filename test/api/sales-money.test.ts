import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { withTotals } from '../../shared/domain/affiliates/totals.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { eventCounts, eventsUntil } from '../support/events.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { makeStoredSale, storeSales } from '../support/sales.ts';
import { makeReferral, sell } from './sale-calls.ts';

describe('money', () => {
  it('takes a third back, then the rest, and comes to nothing exactly', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { commissionRate: 33.333 });
    const { id: saleId } = await sell(api, { referralId: affiliate.id });
    const third = await api.patch('/sales', { saleId, amount: 33.33 });
    expect(third.body).toMatchObject({ status: 'PARTIALLY_REFUNDED', refundedAmount: 33.33, commissionEarned: 22.22 });
    const tooMuch = await api.patch('/sales', { saleId, amount: 66.68 });
    expect(tooMuch.body).toMatchObject({ error: 400, message: 'amount must be at most 66.67, which is what is left' });
    const rest = await api.patch('/sales', { saleId });
    expect(rest.body).toMatchObject({ status: 'REFUNDED', refundedAmount: 100, commissionEarned: 0 });
    const again = await api.patch('/sales', { saleId });
    expect(again.body.message).toBe('The sale was refunded in full before: nothing changed');
    expect(again.headers.get('etag')).toBe(rest.headers.get('etag'));
    await expect
      .poll(async () => (await api.get(`/affiliates?id=${affiliate.id}`)).body, { timeout: 30_000 })
      .toMatchObject({ totalRevenue: 0, totalCommissionEarned: 0 });
  });

  it('recomputes the commission of a changed sale, and takes a deleted one from the totals', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { commissionRate: 10 });
    const referral = await makeReferral(api, affiliate.affiliateLinks[0].link);
    const { id: saleId } = await sell(api, { referralId: referral.id });
    const changed = await api.put('/sales', { saleId, totalEarned: 50.05, commissionRate: 50 });
    expect(changed.body).toMatchObject({ totalEarned: 50.05, commissionRate: 50, commissionEarned: 25.03 });
    await expect
      .poll(async () => (await api.get(`/referrals?id=${referral.id}`)).body, { timeout: 30_000 })
      .toMatchObject({ totalRevenue: 50.05, totalCommission: 25.03 });
    const deleted = await api.delete('/sales', { saleId });
    expect(deleted.body).toEqual({ message: 'Sale deleted', deletedSale: { id: saleId } });
    expect((await api.delete('/sales', { saleId })).status).toBe(404);
    await expect
      .poll(async () => (await api.get(`/affiliates?id=${affiliate.id}`)).body, { timeout: 30_000 })
      .toMatchObject({ totalRevenue: 0, totalCommissionEarned: 0, numberOfReferredUsers: 1 });
  });
});

describe('Idempotency-Key', () => {
  it('makes one record and one event of 20 equal requests at once, with equal responses or 409 while the first runs', async () => {
    const api = await makeProgram();
    const receiver = await startScriptedReceiver();
    const webhook = { url: receiver.url('/sales'), eventTypes: ['sale.created'] };
    expect((await api.post('/webhooks', webhook)).status).toBe(200);
    const body = { totalEarned: 10, referralId: (await makeAffiliate(api)).id };
    const key = { 'idempotency-key': 'order-77' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => api.post('/sales', body, key)));
    const successes = responses.filter(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status !== 200).every(({ status }) => status === 409)).toBe(true);
    expect(new Set(successes.map(({ text }) => text)).size).toBe(1);
    const replayed = await api.post('/sales', body, key);
    expect(replayed.text).toBe(successes[0]?.text);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect((await api.get('/sales')).body).toHaveLength(1);
    expect((await api.post('/sales', { ...body, totalEarned: 11 }, key)).status).toBe(422);
    await api.put('/sales', { saleId: replayed.body.id, name: 'Priya' });
    await eventsUntil(api.programId, 'sale.updated', 1);
    await eventsUntil(api.programId, 'sale.created', 1);
    expect(await eventCounts(api.programId)).toMatchObject({ 'sale.created': 1, 'sale.updated': 1 });
  });

  it('keeps a refusal as well, for its path alone', async () => {
    const api = await makeProgram();
    const key = { 'idempotency-key': 'k' };
    const body = { couponId: randomUUID(), code: 'A' };
    const refused = await api.post('/promotional-codes', body, key);
    const again = await api.post('/promotional-codes', body, key);
    expect([again.status, again.text]).toEqual([404, refused.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const coupon = { name: 'Spring', percentOff: 20 };
    expect((await api.post('/coupons', coupon, key)).status).toBe(200);
    expect((await api.post('/coupons', coupon, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400);
  });
});

describe('lists', () => {
  it('filters by affiliate and status, and finds by id', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const sale = await sell(api, { referralId: affiliate.id });
    await sell(api, { promoCode: (await makeCode(api, (await makeCoupon(api)).id)).code });
    for (const filter of [`affiliateId=${affiliate.id}`, `affiliateEmail=${affiliate.email}`])
      expect((await api.get(`/sales?${filter}`)).body).toEqual([sale]);
    expect((await api.get('/sales?status=REFUNDED')).body).toEqual([]);
    expect((await api.get(`/sales?id=${sale.id}`)).body).toEqual(sale);
    expect((await api.get('/sales?id=1')).status).toBe(404);
    expect((await api.get('/sales')).body).toHaveLength(2);
  });
});

it('totals beyond what a number keeps are exact, and stop no worker', async () => {
  const api = await makeProgram({ currency: 'KWD' });
  const affiliate = await makeAffiliate(api, { commissionRate: 100 });
  const { link, id: affiliateLinkId } = affiliate.affiliateLinks[0];
  const referral = await makeReferral(api, link);
  const most = Number.MAX_SAFE_INTEGER;
  const huge = { referralId: referral.id, affiliateLinkId, totalEarnedMinor: most, commissionEarnedMinor: most - 1 };
  await storeSales(
    api.programId,
    Array.from({ length: 3 }, () => makeStoredSale(affiliate.id, huge)),
  );
  const { id: saleId } = await sell(api, { referralId: referral.id, totalEarned: 0.002 });
  const totals = async () => {
    const [owner, person, address] = await Promise.all([
      affiliates.get(api.programId, affiliate.id),
      referrals.get(api.programId, referral.id),
      links.get(api.programId, affiliateLinkId),
    ]);
    const [counted] = owner ? await withTotals(api.programId, [owner]) : [];
    return [counted?.totalCommissionEarnedMinor, person?.totalRevenueMinor, address?.totalRevenueMinor];
  };
  const sum = 3n * BigInt(most);
  await expect.poll(totals, { timeout: 30_000 }).toEqual([sum - 1n, sum + 2n, sum + 2n]);
  // What reads the records goes on: edits, events, and totals of what comes later.
  expect((await api.put('/affiliates', { affiliateId: affiliate.id, lastName: 'Obi' })).status).toBe(200);
  expect((await api.put('/referrals', { referralId: referral.id, plan: 'pro' })).status).toBe(200);
  expect((await api.put('/links', { link, newLink: 'renamed' })).status).toBe(200);
  // The renamed link is a change of its affiliate too.
  const counts = { 'affiliate.updated': 2, 'referral.updated': 1, 'link.updated': 1 };
  for (const [type, count] of Object.entries(counts))
    expect(await eventsUntil(api.programId, type, count)).toHaveLength(count);
  expect((await api.delete('/sales', { saleId })).status).toBe(200);
  await expect.poll(totals, { timeout: 30_000 }).toEqual([sum - 3n, sum, sum]);
  expect((await api.get(`/referrals?id=${referral.id}`)).body.totalRevenue).toBe(Number(sum) / 1000);
  expect((await api.delete('/affiliates', { affiliateId: affiliate.id })).status).toBe(200);
  await eventsUntil(api.programId, 'link.deleted', 1);
});
