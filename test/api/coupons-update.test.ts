import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventCounts, eventsUntil } from '../support/events.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';

describe('PUT /coupons', () => {
  it('changes the given fields, leaves the others and says in its event what they were', async () => {
    const api = await makeProgram();
    const before = await makeCoupon(api, { metadata: { campaign: 'spring' }, maxRedemptions: 5, externalId: 'c-1' });
    const affiliate = await makeAffiliate(api);
    const code = await makeCode(api, before.id, { affiliateId: affiliate.id });
    const response = await api.put('/coupons', {
      couponId: before.id,
      name: 'Summer',
      percentOff: 30,
      duration: 'repeating',
      durationInMonths: 3,
      maxRedemptions: null,
      limitToProducts: true,
      productIds: ['p-1'],
      allowAffiliateCodes: true,
      redeemBy: '2040-01-01T00:00:00+01:00',
    });
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('etag')).toBe('"2"');
    const { coupon: _coupon, ...bareCode } = code;
    expect(response.body).toEqual({
      ...before,
      updatedAt: expect.any(String),
      name: 'Summer',
      percentOff: 30,
      duration: 'repeating',
      durationInMonths: 3,
      maxRedemptions: null,
      limitToProducts: true,
      productIds: ['p-1'],
      allowAffiliateCodes: true,
      redeemBy: '2039-12-31T23:00:00.000Z',
      promotionalCodes: [bareCode],
    });
    expect((await api.get(`/coupons?id=${before.id}`)).body).toEqual(response.body);
    const [event] = await eventsUntil(api.programId, 'coupon.updated', 1);
    const { promotionalCodes: _withoutCodes, ...couponOfEvent } = response.body;
    expect(event?.data).toEqual(couponOfEvent);
    expect(event?.previousAttributes).toEqual({
      name: 'Spring',
      percentOff: 20,
      duration: 'forever',
      durationInMonths: null,
      maxRedemptions: 5,
      limitToProducts: false,
      productIds: [],
      allowAffiliateCodes: false,
      redeemBy: null,
    });
  });

  it('refuses terms that would contradict those that stay', async () => {
    const api = await makeProgram();
    const percentage = await makeCoupon(api);
    const flat = await makeCoupon(api, { couponType: 'FLAT', percentOff: null, amountOff: 10, currency: 'USD' });
    const refused = async (couponId: string, change: object) => {
      const { status, body } = await api.put('/coupons', { couponId, ...change });
      return [status, body.details?.[0]?.path];
    };
    expect(await refused(percentage.id, { amountOff: 5 })).toEqual([400, 'amountOff']);
    expect(await refused(percentage.id, { currency: 'USD' })).toEqual([400, 'currency']);
    expect(await refused(flat.id, { percentOff: 5 })).toEqual([400, 'percentOff']);
    expect(await refused(flat.id, { amountOff: 0.001 })).toEqual([400, 'amountOff']);
    expect(await refused(percentage.id, { duration: 'repeating' })).toEqual([400, 'durationInMonths']);
    expect(await refused(percentage.id, { durationInMonths: 3 })).toEqual([400, 'durationInMonths']);
    expect(await refused(percentage.id, { limitToProducts: true })).toEqual([400, 'productIds']);
    for (const fixed of ['couponType', 'externalId', 'integrationType', 'couponCategory'])
      expect(await refused(percentage.id, { [fixed]: 'NONE' })).toEqual([400, fixed]);
    expect((await api.get(`/coupons?id=${percentage.id}`)).body).toMatchObject({ updatedAt: percentage.updatedAt });
  });

  it('rounds an amount half-up in its currency, and keeps the number when only the currency changes', async () => {
    const api = await makeProgram();
    const { id } = await makeCoupon(api, { couponType: 'FLAT', percentOff: null, amountOff: 10, currency: 'USD' });
    const put = async (change: object) => (await api.put('/coupons', { couponId: id, ...change })).body;
    expect(await put({ amountOff: 12.345 })).toMatchObject({ amountOff: 12.35, currency: 'USD' });
    expect(await put({ currency: 'KWD' })).toMatchObject({ amountOff: 12.35, currency: 'KWD' });
    expect(await put({ currency: 'JPY' })).toMatchObject({ amountOff: 12, currency: 'JPY' });
    expect(await put({ amountOff: 0.5 })).toMatchObject({ amountOff: 1, currency: 'JPY' });
  });

  it('takes the months of a idempotency away with it', async () => {
    const api = await makeProgram();
    const { id } = await makeCoupon(api, { duration: 'repeating', durationInMonths: 3 });
    const response = await api.put('/coupons', { couponId: id, duration: 'once' });
    expect(response.body).toMatchObject({ duration: 'once', durationInMonths: null });
  });

  it('switches a coupon off for every redemption, and on again', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const { code } = await makeCode(api, coupon.id);
    const sell = () => api.post('/sales', { totalEarned: 10, promoCode: code });
    const off = await api.put('/coupons', { couponId: coupon.id, valid: false });
    expect(off.body.valid).toBe(false);
    const refused = await sell();
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'coupon_invalid']);
    expect((await api.put('/coupons', { couponId: coupon.id, valid: true })).body.valid).toBe(true);
    expect((await sell()).status).toBe(200);
  });

  it('is found under its new name and no more under the old one', async () => {
    const api = await makeProgram();
    const { id } = await makeCoupon(api);
    await api.put('/coupons', { couponId: id, name: 'Summer' });
    expect((await api.get('/coupons?name=summer')).body).toHaveLength(1);
    expect((await api.get('/coupons?name=spring')).body).toEqual([]);
  });

  it('loses nothing when it races redemptions and other changes', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const { code } = await makeCode(api, coupon.id);
    const responses = await Promise.all([
      ...Array.from({ length: 5 }, () => api.post('/sales', { totalEarned: 10, promoCode: code })),
      api.put('/coupons', { couponId: coupon.id, name: 'Summer' }),
      api.put('/coupons', { couponId: coupon.id, metadata: { campaign: 'x' } }),
      api.put('/coupons', { couponId: coupon.id, collectionIds: ['c-1'] }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const read = async () => (await api.get(`/coupons?id=${coupon.id}`)).body;
    await expect
      .poll(read)
      .toMatchObject({ name: 'Summer', metadata: { campaign: 'x' }, collectionIds: ['c-1'], timesRedeemed: 5 });
  });

  it("returns the same 404 for what is not there and what is another program's", async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const foreign = await makeCoupon(other);
    const missing = await api.put('/coupons', { couponId: randomUUID(), name: 'Mine' });
    expect(missing.body).toEqual({ error: 404, message: 'Coupon not found' });
    expect((await api.put('/coupons', { couponId: foreign.id, name: 'Mine' })).text).toBe(missing.text);
    expect((await api.delete('/coupons', { couponId: foreign.id })).text).toBe(missing.text);
  });

  it('returns 200 where nothing changes, and makes no event', async () => {
    const api = await makeProgram();
    const { id } = await makeCoupon(api);
    expect((await api.put('/coupons', { couponId: id })).status).toBe(200);
    await api.put('/coupons', { couponId: id, name: 'Summer' });
    await eventsUntil(api.programId, 'coupon.updated', 1);
    expect((await eventCounts(api.programId))['coupon.updated']).toBe(1);
  });
});

describe('DELETE /coupons', () => {
  it('returns what it was, 404 the second time, and frees its externalId', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api, { externalId: 'c-1' });
    const deleted = await api.delete('/coupons', { couponId: coupon.id });
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { message: 'Coupon deleted', deletedCoupon: { id: coupon.id, name: 'Spring' } },
    ]);
    expect((await api.delete('/coupons', { couponId: coupon.id })).status).toBe(404);
    expect((await api.get(`/coupons?id=${coupon.id}`)).status).toBe(404);
    expect((await makeCoupon(api, { externalId: 'c-1' })).externalId).toBe('c-1');
    const [event] = await eventsUntil(api.programId, 'coupon.deleted', 1);
    const { promotionalCodes: _withoutCodes, ...couponOfEvent } = coupon;
    expect(event?.data).toEqual(couponOfEvent);
  });

  it('ends every redemption of its codes at once', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const { code } = await makeCode(api, coupon.id);
    await api.delete('/coupons', { couponId: coupon.id });
    const refused = await api.post('/sales', { totalEarned: 10, promoCode: code });
    expect(refused.status).toBe(400);
    expect(['coupon_invalid', 'code_not_found']).toContain(refused.body.details[0].code);
  });
});
