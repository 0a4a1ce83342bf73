import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeAffiliate, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';

const outcome = ({ status, body }: ResponseBody) => [status, body.details?.[0]?.code];
const refused = [400, 'self_referral'];
const accepted = [200, undefined];

describe('an affiliate as their own customer', () => {
  it('is refused for sales and referrals, by reference and by code, and validation says so', async () => {
    const api = await makeProgram();
    const { id: affiliateId, email } = await makeAffiliate(api);
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId });
    const sale = (fields: object) => api.post('/sales', { totalEarned: 10, ...fields });
    expect(outcome(await sale({ referralId: affiliateId, email: email.toUpperCase() }))).toEqual(refused);
    expect(outcome(await sale({ promoCode: code, email }))).toEqual(refused);
    const referral = { name: 'Amara', email };
    expect(outcome(await api.post('/referrals', { ...referral, affiliateId }))).toEqual(refused);
    expect(outcome(await api.post('/referrals', { ...referral, promoCode: code }))).toEqual(refused);
    const asked = await api.post('/promotional-codes/validate', { code, email });
    expect(asked.body).toMatchObject({ valid: false, reason: 'self_referral', discount: null });
    expect((await api.get('/sales')).body).toEqual([]);
    expect((await api.get('/referrals')).body).toEqual([]);
    expect(outcome(await sale({ promoCode: code, email: 'customer@example.com' }))).toEqual(accepted);
  });

  it('is refused where a referral or a sale becomes their own by an update', async () => {
    const api = await makeProgram();
    const { id: affiliateId, email } = await makeAffiliate(api);
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId });
    const other = { name: 'Priya', email: 'priya@example.com', affiliateId };
    const { id: referralId } = (await api.post('/referrals', other)).body;
    expect(outcome(await api.put('/referrals', { referralId, email }))).toEqual(refused);
    const { id: saleId } = (await api.post('/sales', { totalEarned: 10, promoCode: code, email: 'c@example.com' }))
      .body;
    expect(outcome(await api.put('/sales', { saleId, email }))).toEqual(refused);
  });

  it('is accepted with a code that is limited to that affiliate', async () => {
    const api = await makeProgram();
    const { id: affiliateId, email } = await makeAffiliate(api);
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId, limitToAffiliate: true });
    expect((await api.post('/promotional-codes/validate', { code, email })).body).toMatchObject({ valid: true });
    expect(outcome(await api.post('/sales', { totalEarned: 10, promoCode: code, email }))).toEqual(accepted);
  });

  it('is accepted where the program allows it', async () => {
    const api = await makeProgram({ allowSelfReferral: true });
    const { id: affiliateId, email } = await makeAffiliate(api);
    expect(outcome(await api.post('/sales', { totalEarned: 10, referralId: affiliateId, email }))).toEqual(accepted);
    expect(outcome(await api.post('/referrals', { name: 'Amara', email, affiliateId }))).toEqual(accepted);
  });
});

describe('a code for first orders', () => {
  it('knows a customer without an email by customerId', async () => {
    const api = await makeProgram();
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { firstTimeOrder: true });
    const body = { totalEarned: 10, promoCode: code, customerId: `customer-${randomUUID()}` };
    const racing = await Promise.all(Array.from({ length: 5 }, () => api.post('/sales', body)));
    const refusals = racing.filter(({ status }) => status !== 200);
    expect(refusals.map(outcome)).toEqual(Array(4).fill([400, 'first_order_only']));
    const asked = await api.post('/promotional-codes/validate', { code, customerId: body.customerId });
    expect(asked.body.reason).toBe('first_order_only');
    const [sale] = (await api.get('/sales')).body;
    await api.put('/sales', { saleId: sale.id, email: 'known@example.com' });
    expect(outcome(await api.post('/sales', { ...body, email: 'known@example.com' }))).toEqual([
      400,
      'first_order_only',
    ]);
    expect(outcome(await api.post('/sales', body))).toEqual(accepted);
  });
});

describe('a sale by a code', () => {
  it('keeps the referral that is named beside the code, if both belong to the same affiliate', async () => {
    const api = await makeProgram();
    const [one, other] = [await makeAffiliate(api), await makeAffiliate(api)];
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId: one.id });
    const refer = async (affiliateId: string) =>
      (await api.post('/referrals', { name: 'Priya', email: `${randomUUID()}@example.com`, affiliateId })).body;
    const [own, foreign] = [await refer(one.id), await refer(other.id)];
    const sell = async (fields: object) =>
      (await api.post('/sales', { totalEarned: 10, promoCode: code, ...fields })).body;
    const kept = { affiliateId: one.id, referralId: own.id, name: 'Priya', email: own.email };
    expect(await sell({ referralId: own.id })).toMatchObject(kept);
    expect(await sell({ email: own.email })).toMatchObject(kept);
    expect(await sell({ referralId: foreign.id })).toMatchObject({ affiliateId: one.id, referralId: null });
  });
});
