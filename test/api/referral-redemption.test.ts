import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';

const freshEmail = () => `customer-${randomUUID()}@example.com`;

describe('a referral that comes by a promotional code', () => {
  it('credits the affiliate of the code and counts one redemption, however often it is sent', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const coupon = await makeCoupon(api);
    const { id, code } = await makeCode(api, coupon.id, { affiliateId: affiliate.id, maxRedemptions: 1 });
    const body = { name: 'Priya Sharma', email: freshEmail(), promoCode: code };
    const first = await api.post('/referrals', body);
    expect(first.body).toMatchObject({ affiliateId: affiliate.id, referralMedium: 'COUPON' });
    expect((await api.post('/referrals', body)).text).toBe(first.text);
    const counted = async () => (await api.get(`/promotional-codes?id=${id}`)).body;
    await expect.poll(counted).toMatchObject({ timesRedeemed: 1, coupon: { timesRedeemed: 1 } });
    const other = await api.post('/referrals', { ...body, email: freshEmail() });
    expect([other.status, other.body.details[0].code]).toEqual([400, 'code_limit_reached']);
  });

  it('takes a use of a capped coupon, and is refused when none is left', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const coupon = await makeCoupon(api, { maxRedemptions: 1 });
    const { code } = await makeCode(api, coupon.id, { affiliateId: affiliate.id });
    const refer = () => api.post('/referrals', { name: 'Priya Sharma', email: freshEmail(), promoCode: code });
    expect((await refer()).status).toBe(200);
    const refused = await refer();
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'coupon_limit_reached']);
    expect((await api.get(`/coupons?id=${coupon.id}`)).body).toMatchObject({ timesRedeemed: 1 });
  });

  it('keeps to a cap that the code got after its first redemption', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const { id, code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId: affiliate.id });
    const refer = () => api.post('/referrals', { name: 'Priya Sharma', email: freshEmail(), promoCode: code });
    expect((await refer()).status).toBe(200);
    await api.put('/promotional-codes', { promotionalCodeId: id, maxRedemptions: 2 });
    expect((await refer()).status).toBe(200);
    const refused = await refer();
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'code_limit_reached']);
  });

  it('is refused by a code for first orders once the customer has ordered, as the check before it says', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { firstTimeOrder: true });
    const email = freshEmail();
    const check = async () => (await api.post('/promotional-codes/validate', { code, email })).body;
    expect(await check()).toMatchObject({ valid: true });
    await api.post('/sales', { totalEarned: 10, referralId: affiliate.id, email });
    expect(await check()).toMatchObject({ valid: false, reason: 'first_order_only' });
    const refused = await api.post('/referrals', { name: 'Priya Sharma', email, promoCode: code });
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'first_order_only']);
  });
});

it('a referral stays while one of their sales is in a payout batch that is not paid', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const person = { name: 'Priya', email: 'priya@example.com' };
  const { id: referralId } = (await api.post('/referrals', { ...person, affiliateId: affiliate.id })).body;
  const { body: sale } = await api.post('/sales', { totalEarned: 10, email: person.email });
  expect(sale.referralId).toBe(referralId);
  const { id } = (await api.post('/payout-batches', { name: 'All' })).body;
  const status = async () => (await api.get(`/payout-batches/${id}`)).body.status;
  await expect.poll(status, { timeout: 30_000 }).toBe('READY');
  expect((await api.delete('/referrals', { referralId })).status).toBe(409);
  expect((await api.put('/payout-batches', { payoutBatchId: id, status: 'PAID' })).status).toBe(200);
  expect((await api.delete('/referrals', { referralId })).status).toBe(200);
});
