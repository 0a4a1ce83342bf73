import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { withTotals } from '../../shared/domain/affiliates/totals.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { eventCounts, eventsUntil } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { makeStoredSale, storeSales } from '../support/sales.ts';

const makeReferral = async (api: Api, affiliateId: string, overrides: Record<string, unknown> = {}) => {
  const email = `referral-${randomUUID()}@example.com`;
  const response = await api.post('/referrals', { name: 'Priya Sharma', email, affiliateId, ...overrides });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const sell = async (api: Api, body: Record<string, unknown>) => {
  const response = await api.post('/sales', { totalEarned: 100, ...body });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const refusal = (response: ResponseBody) => [response.status, response.body.details?.[0]?.code];

describe('attribution', () => {
  it('credits by a referral, an affiliate, the slug of a link, or the email of a referral', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { commissionRate: 30, affiliateLink: 'amara' });
    const referral = await makeReferral(api, 'amara');
    expect(referral).toMatchObject({ affiliateId: affiliate.id, referralMedium: 'LINK', subscriptionStatus: 'ACTIVE' });
    const affiliateLinkId = affiliate.affiliateLinks[0].id;
    expect(await sell(api, { referralId: referral.id })).toMatchObject({
      affiliateId: affiliate.id,
      referralId: referral.id,
      affiliateLinkId,
      name: 'Priya Sharma',
      email: referral.email,
      commissionRate: 30,
      commissionEarned: 30,
      status: 'ACTIVE',
      source: 'API',
    });
    expect(await sell(api, { referralId: affiliate.id })).toMatchObject({
      affiliateId: affiliate.id,
      referralId: null,
    });
    expect(await sell(api, { referralId: 'AMARA' })).toMatchObject({ affiliateId: affiliate.id, affiliateLinkId });
    expect(await sell(api, { email: referral.email.toUpperCase() })).toMatchObject({ referralId: referral.id });
    expect((await api.post('/sales', { totalEarned: 1, email: 'nobody@example.com' })).status).toBe(404);
    expect((await api.post('/sales', { totalEarned: 1 })).body.error).toBe(
      'referralId, email or promoCode is required',
    );
  });

  it('gives a commission to nobody where nobody is credited, now or later', async () => {
    const api = await makeProgram();
    const coupon = (await api.post('/coupons', { name: 'Open', percentOff: 10, duration: 'once' })).body;
    await api.post('/promotional-codes', { couponId: coupon.id, code: 'OPEN' });
    const sale = (await api.post('/sales', { totalEarned: 100, promoCode: 'OPEN' })).body;
    expect(sale).toMatchObject({ affiliateId: null, commissionRate: 0, commissionEarned: 0 });
    const refused = await api.put('/sales', { saleId: sale.id, commissionRate: 20 });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('commissionRate must be 0') },
    });
    const changed = await api.put('/sales', { saleId: sale.id, totalEarned: 200, commissionRate: 0 });
    expect(changed.body).toMatchObject({ totalEarned: 200, commissionEarned: 0 });
  });
});

describe('redemption', () => {
  it('says why it refuses a code, as validation does, and counts nothing', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api, { limitToProducts: true, productIds: ['p1'] });
    const { code, id } = await makeCode(api, coupon.id, { firstTimeOrder: true });
    for (const [reason, product, customer] of [
      ['customer_required', undefined, { firstOrder: false }],
      ['first_order_only', undefined, { firstOrder: false, email: 'e@e.org' }],
      ['wrong_product', { productId: 'p2' }, { email: 'e@e.org' }],
    ] as const) {
      const sale = await api.post('/sales', { totalEarned: 100, promoCode: code, product, ...customer });
      expect(refusal(sale)).toEqual([400, reason]);
      const productIds = product && [product.productId];
      const asked = await api.post('/promotional-codes/validate', { code, amount: 100, productIds, ...customer });
      expect(asked.body, asked.text).toMatchObject({ valid: false, reason, discount: null });
    }
    expect((await api.get(`/promotional-codes?id=${id}`)).body.timesRedeemed).toBe(0);
  });

  it('refuses a code that is not there', async () => {
    const api = await makeProgram();
    const sale = await api.post('/sales', { totalEarned: 1, promoCode: 'NO-SUCH-CODE' });
    expect(refusal(sale)).toEqual([400, 'code_not_found']);
    const asked = await api.post('/promotional-codes/validate', { code: 'NO-SUCH-CODE' });
    expect(asked.body).toEqual({ valid: false, reason: 'code_not_found', discount: null, promotionalCode: null });
  });

  it('refuses the code of an affiliate that is not active, and validation says so', async () => {
    const api = await makeProgram();
    const { id: affiliateId } = await makeAffiliate(api, { affiliateStatus: 'inactive' });
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId });
    expect(refusal(await api.post('/sales', { totalEarned: 5, promoCode: code }))).toEqual([
      400,
      'affiliate_not_active',
    ]);
    const asked = await api.post('/promotional-codes/validate', { code, amount: 5 });
    expect(asked.body).toMatchObject({ valid: false, reason: 'affiliate_not_active', discount: null });
  });

  it('credits the affiliate of the code before any referral, up to the limits of code and coupon', async () => {
    const api = await makeProgram();
    const [ofCode, other] = [await makeAffiliate(api, { commissionRate: 40 }), await makeAffiliate(api)];
    const coupon = await makeCoupon(api, { maxRedemptions: 2 });
    const { code, id } = await makeCode(api, coupon.id, { affiliateId: ofCode.id, maxRedemptions: 1 });
    const validation = await api.post('/promotional-codes/validate', { code, amount: 49.9 });
    expect(validation.body).toMatchObject({ valid: true, reason: null, discount: { discountAmount: 9.98 } });
    const sale = await sell(api, { promoCode: code, referralId: other.id, email: 'c@example.com' });
    expect(sale).toMatchObject({ affiliateId: ofCode.id, promotionalCodeId: id, commissionEarned: 40 });
    expect(refusal(await api.post('/sales', { totalEarned: 5, promoCode: code }))).toEqual([400, 'code_limit_reached']);
    await sell(api, { promoCode: (await makeCode(api, coupon.id)).code });
    const third = await makeCode(api, coupon.id);
    const refused = await api.post('/sales', { totalEarned: 5, promoCode: third.code });
    expect(refusal(refused)).toEqual([400, 'coupon_limit_reached']);
    expect((await api.get(`/coupons?id=${coupon.id}`)).body).toMatchObject({ timesRedeemed: 2, valid: false });
  });

  it('opens a code for first orders again when the customer has no sale left, and not before', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const { id: referralId } = await makeAffiliate(api);
    const { code } = await makeCode(api, coupon.id, { firstTimeOrder: true });
    const email = 'again@example.com';
    const [one, other] = [await sell(api, { referralId, email }), await sell(api, { referralId, email })];
    const isFirst = async () =>
      (await api.post('/promotional-codes/validate', { code, amount: 10, email })).body.reason === null;
    const revenue = async () => (await api.get(`/affiliates?id=${referralId}`)).body.totalRevenue;
    expect((await api.delete('/sales', { saleId: one.id })).status).toBe(200);
    await expect.poll(revenue, { timeout: 30_000 }).toBe(100);
    expect(await isFirst()).toBe(false);
    expect((await api.delete('/sales', { saleId: other.id })).status).toBe(200);
    await expect.poll(isFirst, { timeout: 30_000 }).toBe(true);
  });

  it('sells exactly 60 of 80 racing buyers when the coupon has 60 left and the code 100', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const coupon = await makeCoupon(api, { maxRedemptions: 60 });
    const { code, id } = await makeCode(api, coupon.id, { maxRedemptions: 100, affiliateId: affiliate.id });
    const responses = await Promise.all(
      Array.from({ length: 80 }, (_, buyer) =>
        api.post('/sales', { totalEarned: 10, promoCode: code, email: `buyer-${buyer}@example.com` }),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(60);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(new Set(refused.map((response) => refusal(response).join()))).toEqual(new Set(['400,coupon_limit_reached']));
    expect((await api.get(`/promotional-codes?id=${id}`)).body).toMatchObject({
      timesRedeemed: 60,
      coupon: { timesRedeemed: 60 },
    });
    expect((await api.get(`/sales?promotionalCodeId=${id}&limit=100`)).body).toHaveLength(60);
    const revenue = async () => (await api.get(`/affiliates?id=${affiliate.id}`)).body.totalRevenue;
    await expect.poll(revenue, { timeout: 30_000 }).toBe(600);
  }, 120_000);
});

describe('external ids', () => {
  it('return the same sale when it is sent again, 409 for another, and redeem once', async () => {
    const api = await makeProgram();
    const { code, id } = await makeCode(api, (await makeCoupon(api)).id, { maxRedemptions: 1 });
    const body = { promoCode: code, externalId: 'order-1', externalInvoiceId: 'invoice-1', metadata: { a: 1, b: 2 } };
    const responses = await Promise.all(Array.from({ length: 10 }, () => sell(api, body)));
    const sameValues = { ...body, name: null, metadata: { b: 2, a: 1 } };
    expect((await sell(api, sameValues)).id).toBe(responses[0].id);
    expect(new Set(responses.map((sale) => sale.id)).size).toBe(1);
    expect((await api.get(`/promotional-codes?id=${id}`)).body.timesRedeemed).toBe(1);
    expect((await api.post('/sales', { totalEarned: 7, promoCode: code, externalId: 'order-1' })).status).toBe(409);
    expect((await api.get('/sales?externalInvoiceId=invoice-1')).body.id).toBe(responses[0].id);
  });
});

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
