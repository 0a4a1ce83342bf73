import { expect, it } from 'vitest';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { eventsUntil } from '../support/events.ts';
import { makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';
import { makeBatch, owe, paidByCode, pay } from './payout-calls.ts';

const flat = { percentOff: null, amountOff: 1, currency: 'USD', couponCategory: 'PAYOUT' };

it('a batch is paid by a code of a copy for its affiliate alone, with the events of both', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api, { paymentMethod: 'COUPON' });
  await owe(api, affiliate.id, 2);
  const coupon = await makeCoupon(api, { name: 'Store credit', ...flat });
  const named = { paymentMethod: 'COUPON', couponId: coupon.id };
  const refused = await api.post('/payout-batches', { paymentMethod: 'COUPON' });
  expect([refused.status, refused.body.details]).toEqual([
    400,
    [{ path: 'couponId', message: 'couponId is required with paymentMethod COUPON' }],
  ]);
  const batch = await makeBatch(api, named);
  expect(batch).toMatchObject({ ...named, status: 'READY', totalAmount: 20 });
  await pay(api, batch.id);
  const payout = await paidByCode(api, batch.id);
  const code = (await api.get(`/promotional-codes/${payout.promotionalCode.id}`)).body;
  expect(code).toMatchObject({
    code: payout.promotionalCode.code,
    affiliateId: affiliate.id,
    limitToAffiliate: true,
    maxRedemptions: 1,
    metadata: { payoutBatchId: batch.id, payoutId: payout.id },
    coupon: { name: 'Store credit (payout)', amountOff: 20, currency: 'USD', couponCategory: 'PAYOUT' },
  });
  const idsOf = async (type: string, count: number) =>
    (await eventsUntil(api.programId, type, count)).map(({ data }) => data.id);
  expect(await idsOf('promotional_code.created', 1)).toEqual([code.id]);
  expect(await idsOf('coupon.created', 2)).toEqual([coupon.id, code.coupon.id]);
});

it('a flat coupon that is deleted at the moment when its batch is paid still pays what is owed', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api, { paymentMethod: 'COUPON' });
  await owe(api, affiliate.id);
  const { id: couponId } = await makeCoupon(api, { name: 'Store credit', ...flat });
  const { id } = await makeBatch(api, { paymentMethod: 'COUPON', couponId });
  const [batch, coupon] = [await payoutBatches.get(api.programId, id), await coupons.get(api.programId, couponId)];
  if (!batch || !coupon) throw new Error('They were made above');
  const now = new Date();
  const paid = { ...batch, status: 'PAID' as const, paidAt: now.toISOString() };
  await writeTogether([
    ...payoutBatches.updateWrites(api.programId, batch, paid),
    ...coupons.deleteWrites(api.programId, coupon),
    coupons.tombstoneWrite(api.programId, coupon, now),
  ]);
  expect((await paidByCode(api, id)).promotionalCode.code).toMatch(/\w/);
});

it('a sale paid with a reward credits nobody, whatever else it names, and redeems the code for its affiliate alone', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api, { paymentMethod: 'COUPON' });
  const link = (await api.post('/links', { affiliateId: affiliate.id, link: 'spender' })).body;
  await owe(api, affiliate.id);
  const { id: couponId } = await makeCoupon(api, { name: 'Store credit', ...flat });
  const batch = await makeBatch(api, { paymentMethod: 'COUPON', couponId });
  await pay(api, batch.id);
  const { promotionalCode } = await paidByCode(api, batch.id);
  const sale = { totalEarned: 50, promoCode: promotionalCode.code, referralId: link.link };
  const byOther = await api.post('/sales', { ...sale, email: 'other@example.net' });
  expect([byOther.status, byOther.body.details[0].code]).toEqual([400, 'wrong_affiliate']);
  await api.put('/affiliates', { affiliateId: affiliate.id, status: 'BANNED' });
  const valid = await api.post('/promotional-codes/validate', { code: sale.promoCode, email: affiliate.email });
  expect(valid.body).toMatchObject({ valid: true, reason: null });
  const bought = await api.post('/sales', { ...sale, email: affiliate.email });
  expect([bought.status, bought.body]).toMatchObject([
    200,
    {
      affiliateId: null,
      attribution: null,
      commissionEarned: 0,
      commissionRule: null,
      promotionalCodeId: promotionalCode.id,
    },
  ]);
  const again = await api.post('/sales', { ...sale, email: affiliate.email });
  expect([again.status, again.body.details[0]]).toMatchObject([400, { path: 'promoCode' }]);
});
