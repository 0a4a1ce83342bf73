import { expect, it } from 'vitest';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeStoredAdjustment, makeStoredSale, storeAll, unnoticed } from '../support/sales.ts';

it('a coupon shows a code with the deleted affiliate that it had, until the code has lost it', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const coupon = await makeCoupon(api);
  const { id } = await makeCode(api, coupon.id);
  const stored = await promotionalCodes.get(api.programId, id);
  if (!stored) throw new Error('The code is gone');
  await api.delete('/affiliates', { affiliateId: affiliate.id });
  // As a request in flight writes it after the deletion has been through.
  const late = { ...stored, id: crypto.randomUUID(), code: 'LATE', affiliateId: affiliate.id };
  await storeAll(unnoticed(promotionalCodes.creation(api.programId, late)));
  const shown = await api.get(`/coupons?id=${coupon.id}`);
  const codes: { code: string; affiliate: object | null }[] = shown.body.promotionalCodes;
  expect(codes.find(({ code }) => code === 'LATE')?.affiliate).toMatchObject({ id: affiliate.id, firstName: 'Amara' });
});

it('an affiliate takes what it still owed with it', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const owed = makeStoredAdjustment(affiliate.id, -500);
  await writeTogether(adjustments.creation(api.programId, owed));
  await api.delete('/affiliates', { affiliateId: affiliate.id });
  await expect.poll(() => adjustments.get(api.programId, owed.id), { timeout: 30_000 }).toBeUndefined();
});

it('a sale that goes with its referral gives back what adjustments took of its commission', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const { body: referral } = await api.post('/referrals', {
    name: 'Priya Sharma',
    email: 'priya@example.com',
    affiliateId: affiliate.id,
  });
  // Refunded in full while its commission of 1,000 was in a payout batch, which was deleted since.
  const sale = makeStoredSale(affiliate.id, {
    referralId: referral.id,
    refundedAmountMinor: 10_000,
    status: 'REFUNDED',
    commissionEarnedMinor: 1000,
  });
  await writeTogether(sales.creation(api.programId, sale));
  const taken = { ...makeStoredAdjustment(affiliate.id, -1000), saleId: sale.id };
  await writeTogether(adjustments.creation(api.programId, taken));
  expect((await api.delete('/referrals', { referralId: referral.id })).status).toBe(200);
  const open = async () => {
    const { items } = await adjustments.page(api.programId, { limit: 10 });
    return items.map(({ saleId, amountMinor }) => ({ saleId, amountMinor }));
  };
  await expect.poll(open, { timeout: 30_000 }).toEqual([
    { saleId: sale.id, amountMinor: 1000 },
    { saleId: sale.id, amountMinor: -1000 },
  ]);
  expect(await sales.get(api.programId, sale.id)).toBeUndefined();
});
