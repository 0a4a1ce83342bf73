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
      name: 'Renamed',
      maxRedemptions: 5,
      timesRedeemed: 0,
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

  it('keep the lines of codes that failed, with their coupon and terms, and not those that succeeded', async () => {
    const { id: couponId } = await makeCoupon(api, { name: 'The oldest' });
    for (let at = 0; at < 50; at++) await makeCoupon(api, { name: `Newer ${at}` });
    const terms = { couponId, maxRedemptions: '7' };
    const path = `${base}/promotional-codes/bulk`;
    const { text } = await browser.submit(path, { ...terms, codes: 'KEPT-1\nNO SPACE\nKEPT-1' });
    expect(text).toContain('1 code was created');
    expect(text).toMatch(/<textarea[^>]*name="codes"[^>]*>NO SPACE\nKEPT-1<\/textarea>/);
    const keepsTerms = (page: string) => {
      expect(page).toMatch(/<option[^>]* selected[^>]*>The oldest|<option selected[^>]*>The oldest/);
      expect(page).toMatch(/name="maxRedemptions"[^>]*value="7"/);
    };
    keepsTerms(text);
    const refused = await browser.submit(path, { ...terms, codes: '' });
    expect(refused.status).toBe(400);
    keepsTerms(refused.text);
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

describe('a refund', () => {
  const refund = async (id: number, fields: Record<string, string>) => {
    const path = `/sales/${id}/refund`;
    const version = /name="version" value="(\d+)"/.exec(await shown(path))?.[1] ?? '';
    return browser.submit(`${base}${path}`, { version, ...fields });
  };

  it('is of all or of a part, which has to be chosen, beside the customer and the amounts', async () => {
    const { id: referralId } = await makeAffiliate(api);
    const buyer = { name: 'Mei Tanaka', email: freshEmail() };
    const { id } = (await api.post('/sales', { totalEarned: 80, referralId, ...buyer })).body;
    const page = await shown(`/sales/${id}/refund`);
    for (const text of [buyer.name, buyer.email, 'All of it: $80.00. The commission of $16.00 becomes $0.00.'])
      expect(page).toContain(text);
    expect(page).not.toMatch(/type="radio"[^>]*checked/);
    for (const [fields, error] of [
      [{}, 'scope-error'],
      [{ amount: '80' }, 'scope-error'],
      [{ scope: 'part' }, 'amount-error'],
    ] as const) {
      const { status, text } = await refund(id, fields);
      expect([status, text.includes(`id="${error}"`)]).toEqual([400, true]);
    }
    expect((await read(`/sales/${id}`)).refundedAmount).toBe(0);
    await refund(id, { scope: 'part', amount: '30' });
    expect((await read(`/sales/${id}`)).refundedAmount).toBe(30);
    expect(await shown(`/sales/${id}/refund`)).toContain('All of it: $50.00. The commission of $10.00 becomes $0.00.');
    // What was typed before the choice changed is no longer shown.
    await refund(id, { scope: 'all', amount: '1' });
    expect(await read(`/sales/${id}`)).toMatchObject({ refundedAmount: 80, status: 'REFUNDED' });
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
  const batch = await shown(`/payout-batches/${batchId}`);
  for (const button of ['Download CSV (2 rows)', 'Wise file (1 row)']) expect(batch).toContain(button);
  expect(batch).not.toContain('PayPal file (');
  // Whoever has no payment method is in no payment file, and is named where it can be mended.
  const paid = `/payout-batches/${batchId}/paid`;
  const asked = await shown(paid);
  for (const page of [batch, asked]) {
    expect(page.replaceAll(/<[^>]+>/g, '|')).toMatch(
      /Wise\|+1\|+\$20\.00.*Not set\|+1\|+\$20\.00|Not set\|+1\|+\$20\.00.*Wise\|+1\|+\$20\.00/,
    );
    expect(page).toContain(`href="${base}/affiliates/${ada.id}/edit#paymentMethod">Ada Eze</a>`);
    expect(page).not.toContain(`${bola.id}/edit`);
  }
  expect(asked).toContain('I also paid the 1 affiliate in neither the PayPal nor the Wise file ($20.00)');
  for (const fields of [{}, { leftOut: '0' }, { leftOut: '2' }] as Record<string, string>[]) {
    const refused = await browser.submit(`${base}${paid}`, fields);
    expect([refused.status, refused.text.includes('id="leftOut-error"')]).toEqual([400, true]);
  }
  expect((await read(`/payout-batches/${batchId}`)).status).toBe('READY');
  await submit(paid, { leftOut: '1' });
  expect(await read(`/payout-batches/${batchId}`)).toMatchObject({ status: 'PAID', totalAmount: 40 });
  // Filters and sums of what was paid out.
  const plain = (page: string) => page.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|+/g, '|');
  const ofAda = `affiliateEmail=${encodeURIComponent(ada.email)}`;
  await expect
    .poll(async () => plain(await shown(`/sales?payout=paid&${ofAda}`)), { timeout: 10_000 })
    .toContain('|Commission paid out|$20.00|');
  const { id: saleId } = (await api.post('/sales', { totalEarned: 50, referralId: ada.id })).body;
  expect(plain(await shown(`/sales?payout=unpaid&${ofAda}`))).toContain(
    '|Sales|1|Amount|$50.00|Refunded|$0.00|Commission|$10.00|Commission paid out|$0.00|',
  );
  expect(plain(await shown(`/sales?${ofAda}`))).toContain(
    '|Sales|2|Amount|$150.00|Refunded|$0.00|Commission|$30.00|Commission paid out|$20.00|',
  );
  expect(await shown(`/sales?payout=batched&${ofAda}`)).toContain('No sales match these filters.');
  expect(await rowsOf(`/sales.csv?payout=paid&${ofAda}`)).toHaveLength(1);
  expect(plain(await shown('/payout-batches'))).toContain('|Batches|1|Ready to pay|$0.00|Paid out|$40.00|');
  expect((await api.delete('/sales', { saleId })).status).toBe(200);

  const [sale] = await read(`/sales?affiliateId=${ada.id}`);
  expect((await api.patch('/sales', { saleId: sale.id, amount: 25 })).status).toBe(200);
  const statement = await shown(`/affiliates/${ada.id}/statement?batch=${batchId}`);
  expect(statement).toContain('November');
  expect(await shown(`/affiliates/${ada.id}/statement`)).toContain('Next payout is reduced by');
  expect((await api.delete('/affiliates', { affiliateId: ada.id })).status).toBe(200);
  expect((await rowsOf(`/payout-batches/${batchId}/payouts.csv`)).join()).toContain('Ada Eze');
});
