import { describe, expect, it } from 'vitest';
import { makeAffiliate, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';
import { makeReferral, sell } from './sale-calls.ts';

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
      'referralId, email, promoCode or clickId is required',
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
