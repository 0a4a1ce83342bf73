import { expect, it } from 'vitest';
import { owe } from '../api/payout-calls.ts';
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
