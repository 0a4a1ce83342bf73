import { beforeAll, describe, expect, it } from 'vitest';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';

/** What the forms of records change, without a browser: each is sent once as people send it. */

let api: Api;
let browser: Browser;
let base: string;
beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}`;
});

const submit = async (path: string, fields: Record<string, string> = {}): Promise<void> => {
  const { status, text } = await browser.submit(`${base}${path}`, fields);
  if (status !== 303) throw new Error(`${path}: ${status} ${text.replaceAll(/<[^>]+>/g, ' ')}`);
};
const shown = async (path: string): Promise<string> => {
  const { status, text } = await browser.visit(`${base}${path}`);
  expect(status, path).toBe(200);
  return text;
};
const rowsOf = async (path: string): Promise<string[]> => (await shown(path)).trim().split('\r\n').slice(1);
const read = async (path: string) => (await api.get(path)).body;

describe('forms', () => {
  it('set the status of an affiliate', async () => {
    const { id } = await makeAffiliate(api);
    await submit(`/affiliates/${id}/status`, { status: 'banned' });
    expect(await read(`/affiliates/${id}`)).toMatchObject({ status: 'BANNED' });
  });

  it('rename a link and delete one', async () => {
    const { id, affiliateLinks } = await makeAffiliate(api, { affiliateLink: 'uma' });
    const [{ id: linkId }] = affiliateLinks;
    const other = (await api.post('/links', { affiliateId: id, link: 'uma-two' })).body;
    await submit(`/links/${linkId}/edit`, { newLink: 'uma-autumn' });
    await submit(`/links/${other.id}/delete`);
    expect((await read(`/links?affiliateId=${id}`)).map(({ link }: { link: string }) => link)).toEqual(['uma-autumn']);
    expect((await api.get('/links?link=uma')).status).toBe(404);
  });

  it('change the cap of a coupon, and make it automatic', async () => {
    const { id } = await makeCoupon(api, { maxRedemptions: 3 });
    await submit(`/coupons/${id}/edit`, {
      name: 'Renamed',
      percentOff: '20',
      duration: 'once',
      maxRedemptions: '5',
      isAutomatic: 'on',
    });
    expect(await read(`/coupons/${id}`)).toMatchObject({
      ...{ name: 'Renamed', maxRedemptions: 5, timesRedeemed: 0 },
      autoCouponRule: { enabled: true },
    });
  });

  it('add codes with their affiliate, and deactivate some of them', async () => {
    const affiliate = await makeAffiliate(api);
    const { id: couponId } = await makeCoupon(api);
    const codes = `FORM-1, ${affiliate.email}\nFORM-2`;
    const { status, text } = await browser.submit(`${base}/promotional-codes/bulk`, { couponId, codes });
    expect([status, text]).toEqual([200, expect.stringContaining('2 codes were created')]);
    const [first, second] = [
      await read('/promotional-codes?code=FORM-1'),
      await read('/promotional-codes?code=FORM-2'),
    ];
    expect([first.affiliateId, second.affiliateId]).toEqual([affiliate.id, null]);
    await submit('/promotional-codes', { action: 'deactivate', [first.id]: 'on' });
    const isActive = async (code: string) => (await read(`/promotional-codes?code=${code}`)).active;
    expect([await isActive('FORM-1'), await isActive('FORM-2')]).toEqual([false, true]);
  });

  it('record a sale of a link, and delete a referral', async () => {
    const affiliate = await makeAffiliate(api, { affiliateLink: 'ola' });
    await submit('/sales/new', { totalEarned: '49.90', referralId: 'ola', name: 'Jonas Weber' });
    const [sale] = await read(`/sales?affiliateId=${affiliate.id}`);
    expect(sale).toMatchObject({ totalEarned: 49.9, name: 'Jonas Weber' });
    const referral = { name: 'Mei', email: freshEmail(), affiliateId: affiliate.id };
    const { id } = (await api.post('/referrals', referral)).body;
    await submit(`/referrals/${id}/delete`);
    expect((await api.get(`/referrals/${id}`)).status).toBe(404);
  });
});

it('a batch is marked as paid, with its files and statements, also of an affiliate who was deleted', async () => {
  const [ada, bola] = [
    await makeAffiliate(api, { firstName: 'Ada', lastName: 'Eze' }),
    await makeAffiliate(api, { firstName: 'Bola', lastName: 'Ojo', paymentMethod: 'WISE' }),
  ];
  for (const { id } of [ada, bola]) await api.post('/sales', { totalEarned: 100, referralId: id });
  const { id: batchId } = (await api.post('/payout-batches', { name: 'November', affiliateIds: [ada.id, bola.id] }))
    .body;
  await expect.poll(async () => (await read(`/payout-batches/${batchId}`)).status).toBe('READY');
  expect(await rowsOf('/payout-batches.csv?status=READY')).toEqual([expect.stringContaining('November')]);
  expect(await rowsOf(`/payout-batches/${batchId}/payouts.csv?format=wise`)).toHaveLength(1);
  await submit(`/payout-batches/${batchId}/paid`);
  expect(await read(`/payout-batches/${batchId}`)).toMatchObject({ status: 'PAID', totalAmount: 40 });

  const [sale] = await read(`/sales?affiliateId=${ada.id}`);
  expect((await api.patch('/sales', { saleId: sale.id, amount: 25 })).status).toBe(200);
  const statement = await shown(`/affiliates/${ada.id}/statement?batch=${batchId}`);
  expect(statement).toContain('November');
  expect(await shown(`/affiliates/${ada.id}/statement`)).toContain('Next payout is reduced by');
  expect((await api.delete('/affiliates', { affiliateId: ada.id })).status).toBe(200);
  expect((await rowsOf(`/payout-batches/${batchId}/payouts.csv`)).join()).toContain('Ada Eze');
});
