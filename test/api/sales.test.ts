import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { createTotalsWrite, withTotals } from '../../shared/domain/affiliates/totals.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { adjustments, openAdjustments } from '../../shared/domain/sales/adjustments.ts';
import { updateTotals } from '../../shared/domain/totals/update-totals.ts';
import { eventCounts, eventsUntil } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { makeStoredSale, storeAll, storeQuietSales, storeSales, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate, makeStoredLink, makeStoredReferral } from '../support/stored-records.ts';

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

  it('takes the rate of the sale, then of the affiliate, then of the program', async () => {
    const api = await makeProgram({ commissionRate: 11 });
    const [plain, special] = [await makeAffiliate(api), await makeAffiliate(api, { commissionRate: 22 })];
    expect((await sell(api, { referralId: plain.id })).commissionEarned).toBe(11);
    expect((await sell(api, { referralId: special.id })).commissionEarned).toBe(22);
    expect((await sell(api, { referralId: special.id, commissionRate: 0 })).commissionEarned).toBe(0);
  });

  it('refuses to credit an affiliate or a referral that is not active', async () => {
    const api = await makeProgram();
    const inactive = await makeAffiliate(api, { affiliateStatus: 'inactive' });
    const response = await api.post('/sales', { totalEarned: 1, referralId: inactive.id });
    expect(refusal(response)).toEqual([400, 'affiliate_not_active']);
    const referral = await makeReferral(api, (await makeAffiliate(api)).id);
    await api.put('/referrals', { referralId: referral.id, subscriptionStatus: 'DECLINED' });
    const declined = await api.post('/sales', { totalEarned: 1, email: referral.email });
    expect(refusal(declined)).toEqual([400, 'referral_not_active']);
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

  it('returns the same referral for the same affiliate and refuses it for another', async () => {
    const api = await makeProgram();
    const [one, other] = [await makeAffiliate(api), await makeAffiliate(api)];
    const referral = await makeReferral(api, one.id, { email: 'priya@example.com' });
    expect((await makeReferral(api, one.id, { email: 'PRIYA@example.com' })).id).toBe(referral.id);
    const refused = await api.post('/referrals', { name: 'P', email: 'priya@example.com', affiliateId: other.id });
    expect(refused.status).toBe(400);
  });
});

describe('redemption', () => {
  const past = '2020-01-01T00:00:00Z';
  const flatEuro = { couponType: 'FLAT', percentOff: undefined, amountOff: 5, currency: 'EUR' };
  // Each is wrong in a later way too, so that the order of the checks shows.
  it.each([
    ['code_inactive', {}, { active: false, expiresAt: past }, {}],
    ['code_expired', { valid: false }, { expiresAt: past }, {}],
    ['coupon_invalid', { valid: false, redeemBy: past }, {}, {}],
    ['coupon_expired', { redeemBy: past }, { firstTimeOrder: true }, { firstOrder: false }],
    ['customer_required', {}, { firstTimeOrder: true, minimumAmount: 500 }, { firstOrder: false }],
    ['first_order_only', flatEuro, { firstTimeOrder: true }, { firstOrder: false, email: 'e@e.org' }],
    ['wrong_currency', flatEuro, { minimumAmount: 100.01, limitToCustomers: true }, {}],
    ['wrong_currency', {}, { minimumAmount: 500, minimumAmountCurrency: 'EUR', customerId: 'c1' }, {}],
    ['below_minimum_amount', {}, { minimumAmount: 100.01, limitToCustomers: true }, {}],
    ['wrong_customer', {}, { limitToCustomers: true, customerId: 'c1', limitToAffiliate: true }, { customerId: 'c2' }],
    [
      'wrong_affiliate',
      { limitToProducts: true, productIds: ['p1'] },
      { limitToAffiliate: true },
      { email: 'e@e.org' },
    ],
    ['wrong_product', { limitToProducts: true, productIds: ['p1'] }, {}, { product: { productId: 'p2' } }],
  ] as [string, object, object, { product?: { productId: string } }][])(
    'refuses with %s and counts nothing',
    async (reason, couponFields, codeFields, saleFields) => {
      const api = await makeProgram();
      const coupon = await makeCoupon(api, { ...couponFields });
      const { code, id } = await makeCode(api, coupon.id, { ...codeFields });
      const sale = await api.post('/sales', { totalEarned: 100, promoCode: code, ...saleFields });
      expect(refusal(sale)).toEqual([400, reason]);
      const { product, ...rest } = saleFields;
      const productIds = product && [product.productId];
      const asked = await api.post('/promotional-codes/validate', { code, amount: 100, productIds, ...rest });
      expect(asked.body, asked.text).toMatchObject({ valid: false, reason, discount: null });
      expect((await api.get(`/promotional-codes?id=${id}`)).body.timesRedeemed).toBe(0);
    },
  );

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

  it('lets one of 20 racing first orders of a customer pass', async () => {
    const api = await makeProgram();
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { firstTimeOrder: true });
    const body = { totalEarned: 10, promoCode: code, email: 'first@example.com' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => api.post('/sales', body)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.map(refusal)).toEqual(Array(19).fill([400, 'first_order_only']));
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
  }, 60_000);

  it('sells exactly 60 of 250 racing buyers when the coupon has 60 left and the code 100', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const coupon = await makeCoupon(api, { maxRedemptions: 60 });
    const { code, id } = await makeCode(api, coupon.id, { maxRedemptions: 100, affiliateId: affiliate.id });
    const responses = await Promise.all(
      Array.from({ length: 250 }, (_, buyer) =>
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
  it.each([
    ['USD', 0.1, 33.333, 0.03],
    ['JPY', 1050, 12.5, 131],
    ['JPY', 999.5, 10, 100],
    ['KWD', 1.005, 33.333, 0.335],
    ['USD', 19.99, 15, 3],
  ])('%s %d at %d %% is a commission of %d', async (currency, totalEarned, commissionRate, expected) => {
    const api = await makeProgram({ currency });
    const { id } = await makeAffiliate(api);
    expect((await sell(api, { referralId: id, totalEarned, commissionRate })).commissionEarned).toBe(expected);
  });

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

  it('rounds each of three sales by itself: 0.10 at 33.333 %', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api, { commissionRate: 33.333 });
    for (let count = 0; count < 3; count++)
      expect((await sell(api, { referralId: id, totalEarned: 0.1 })).commissionEarned).toBe(0.03);
    await expect
      .poll(async () => (await api.get(`/affiliates?id=${id}`)).body, { timeout: 30_000 })
      .toMatchObject({ totalRevenue: 0.3, totalCommissionEarned: 0.09 });
  });

  it('takes what was paid for a refunded sale back by adjustments, exactly', async () => {
    const api = await makeProgram();
    const paid = makeStoredSale((await makeAffiliate(api)).id, {
      commissionRate: 33.333,
      commissionEarnedMinor: 3333,
      payoutBatchId: randomUUID(),
      paidAt: new Date().toISOString(),
    });
    await storeQuietSales(api.programId, [paid]);
    const saleId = Number(paid.id);
    for (const body of [{ saleId, amount: 33.33 }, { saleId }])
      expect((await api.patch('/sales', body)).body.commissionEarned).toBe(33.33);
    const { items } = await adjustments.page(api.programId, { limit: 10 }, openAdjustments);
    expect(items.map(({ amountMinor }) => amountMinor)).toEqual([-2222, -1111]);
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

describe('an edit of the amount', () => {
  it('says again how much of a refunded sale is left, and what is left can be refunded', async () => {
    const api = await makeProgram();
    const { id: affiliateId } = await makeAffiliate(api);
    const { id: saleId } = await sell(api, { referralId: affiliateId, commissionRate: 10 });
    await api.patch('/sales', { saleId });
    const revived = await api.put('/sales', { saleId, totalEarned: 200 });
    expect(revived.body).toMatchObject({ status: 'PARTIALLY_REFUNDED', refundedAmount: 100, commissionEarned: 10 });
    await api.patch('/sales', { saleId, amount: 40 });
    const lowered = await api.put('/sales', { saleId, totalEarned: 140 });
    expect(lowered.body).toMatchObject({ status: 'REFUNDED', commissionEarned: 0 });
    const again = await api.put('/sales', { saleId, totalEarned: 150 });
    expect(again.body).toMatchObject({ status: 'PARTIALLY_REFUNDED', commissionEarned: 1 });
    await api.patch('/sales', { saleId });
    expect((await api.get(`/sales?id=${saleId}`)).body).toMatchObject({ status: 'REFUNDED', refundedAmount: 150 });
  });
});

describe('Idempotency-Key', () => {
  it('makes one record and one event of 50 equal requests at once, with equal responses or 409 while the first runs', async () => {
    const api = await makeProgram();
    const receiver = await startScriptedReceiver();
    const webhook = { url: receiver.url('/sales'), eventTypes: ['sale.created'] };
    expect((await api.post('/webhooks', webhook)).status).toBe(200);
    const body = { totalEarned: 10, referralId: (await makeAffiliate(api)).id };
    const key = { 'idempotency-key': 'order-77' };
    const responses = await Promise.all(Array.from({ length: 50 }, () => api.post('/sales', body, key)));
    const successes = responses.filter(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status !== 200).every(({ status }) => status === 409)).toBe(true);
    expect(new Set(successes.map(({ text }) => text)).size).toBe(1);
    const replayed = await api.post('/sales', body, key);
    expect(replayed.text).toBe(successes[0]?.text);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect((await api.get('/sales')).body).toHaveLength(1);
    expect((await api.post('/sales', { ...body, totalEarned: 11 }, key)).status).toBe(422);
    // A later change's event is there: those of changes before it are, too.
    await api.put('/sales', { saleId: replayed.body.id, name: 'Priya' });
    await eventsUntil(api.programId, 'sale.updated', 1);
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

describe('lists and If-Match', () => {
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

  it('changes nothing when If-Match no longer holds', async () => {
    const api = await makeProgram();
    const { id: saleId } = await sell(api, { referralId: (await makeAffiliate(api)).id });
    const stale = { 'if-match': (await api.get(`/sales?id=${saleId}`)).headers.get('etag') ?? '' };
    expect((await api.put('/sales', { saleId, name: 'One' }, stale)).status).toBe(200);
    expect((await api.put('/sales', { saleId, name: 'Two' }, stale)).body.error).toBe(412);
    expect((await api.patch('/sales', { saleId }, stale)).status).toBe(412);
    expect((await api.delete('/sales', { saleId }, stale)).status).toBe(412);
    expect((await api.get(`/sales?id=${saleId}`)).body.name).toBe('One');
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
  for (const type of ['affiliate.updated', 'referral.updated', 'link.updated'])
    expect(await eventsUntil(api.programId, type, 1)).toHaveLength(1);
  expect((await api.delete('/sales', { saleId })).status).toBe(200);
  await expect.poll(totals, { timeout: 30_000 }).toEqual([sum - 3n, sum, sum]);
  expect((await api.get(`/referrals?id=${referral.id}`)).body.totalRevenue).toBe(Number(sum) / 1000);
  expect((await api.delete('/affiliates', { affiliateId: affiliate.id })).status).toBe(200);
  await eventsUntil(api.programId, 'link.deleted', 1);
});

it('totals of many changes that each add to records of their own are all counted, and once', async () => {
  const { programId } = await makeProgram();
  const ids = Array.from({ length: 30 }, () => randomUUID());
  // Without their unique values, which are the same for all.
  const records = ids.flatMap((id) => [
    createTotalsWrite(programId, id),
    ...referrals.createWrites(programId, makeStoredReferral({ id })).slice(0, 1),
    ...links.createWrites(programId, makeStoredLink({ id })).slice(0, 1),
  ]);
  await storeAll(unnoticed(records));
  const changes = ids.map((id) => ({
    programId,
    changeId: id,
    record: {},
    deltas: [
      { kind: 'AFFILIATE' as const, id, amounts: { totalRevenueMinor: 5n } },
      { kind: 'REFERRAL' as const, id, amounts: { totalRevenueMinor: 6n } },
      { kind: 'LINK' as const, id, amounts: { totalRevenueMinor: 7n } },
    ],
  }));
  await updateTotals(changes, new Date());
  await updateTotals(changes, new Date());
  const found = await Promise.all([
    withTotals(
      programId,
      ids.map((id) => makeStoredAffiliate({ id })),
    ),
    referrals.getMany(programId, ids).then((byId) => [...byId.values()]),
    links.getMany(programId, ids).then((byId) => [...byId.values()]),
  ]);
  const revenues = found.map((counted) => counted.map(({ totalRevenueMinor }) => totalRevenueMinor));
  expect(revenues).toEqual([5, 6, 7].map((revenue) => ids.map(() => revenue)));
});
