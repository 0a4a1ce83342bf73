import { expect, it } from 'vitest';
import { makeBatch, owe, paidByCode, pay } from '../api/payout-calls.ts';
import { signedIn } from '../support/browser.ts';
import { makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';

it('a batch is paid in codes of a coupon by forms, from the choice of the coupon to the code on its page', async () => {
  const api = await makeProgram();
  const browser = await signedIn(api.ownerEmail);
  const base = `/programs/${api.programId}/payout-batches`;
  const affiliate = await makeAffiliate(api, { paymentMethod: 'COUPON' });
  await owe(api, affiliate.id);
  const { id: couponId } = await makeCoupon(api, { name: 'Thank you', couponCategory: 'PAYOUT' });
  expect((await browser.visit(`${base}/new`)).text).toContain('Thank you');
  const form = { paymentMethod: 'COUPON', couponId };
  const preview = await browser.submit(`${base}/preview`, form);
  expect(preview.text).toContain('from the coupon Thank you');
  const { location: batch = '' } = await browser.submit(`${base}/new`, form);
  const shown = async () => (await browser.visit(batch)).text;
  await expect.poll(shown, { timeout: 30_000 }).toContain('Ready to pay');
  expect(await shown()).toContain('Thank you');
  expect((await browser.submit(`${batch}/paid`)).status).toBe(303);
  await expect.poll(shown, { timeout: 30_000 }).toMatch(/\/promotional-codes\/[0-9a-f-]{36}"><code>\w/);
});

it('a code that paid an affiliate says what it is on the page of the batch and of the affiliate, also once its coupon is deleted', async () => {
  const api = await makeProgram();
  const browser = await signedIn(api.ownerEmail);
  const affiliate = await makeAffiliate(api, { paymentMethod: 'COUPON' });
  await owe(api, affiliate.id);
  const terms = { couponType: 'FLAT', percentOff: null, amountOff: 1, currency: 'USD' };
  const { id: couponId } = await makeCoupon(api, { name: 'Store credit', couponCategory: 'PAYOUT', ...terms });
  const batch = await makeBatch(api, { paymentMethod: 'COUPON', couponId });
  await pay(api, batch.id);
  await paidByCode(api, batch.id);
  const reward = `Store credit of $${batch.totalAmount.toFixed(2)}`;
  await api.delete('/coupons', { couponId });
  const pageOf = async (path: string) => (await browser.visit(`/programs/${api.programId}/${path}`)).text;
  expect(await pageOf(`payout-batches/${batch.id}`)).toContain(reward);
  const ofAffiliate = await pageOf(`affiliates/${affiliate.id}`);
  expect(ofAffiliate).toContain(`<div>${reward}</div>`);
  expect(ofAffiliate).toMatch(/Store credit \(payout\) of \$[\d.]+, for the affiliate alone/);
});
