import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { noChromium } from './chromium.ts';
import { executablePath, follow, goTo, launchChromium, openSignedIn, press, waitForHeading } from './window.ts';

/** What people do in the dashboard, as they do it: one program and one browser for all. Nothing here needs a script. */

let browser: Browser | undefined;
let api: Api;
let page: Page;
beforeAll(async () => {
  if (!executablePath) return;
  [browser, api] = await Promise.all([launchChromium(), makeProgram()]);
  if (browser) page = await openSignedIn(browser, await signedIn(api.ownerEmail), { javaScriptEnabled: false });
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const open = (path = '') => page.goto(`/programs/${api.programId}${path}`);
const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
const entered = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
const unfold = (name: string) => page.getByText(name, { exact: true }).click();
const toast = () => page.getByRole('status').textContent();
/** What a table of the page shows, row by row. */
const rowsOf = (caption: string) =>
  page.getByRole('region', { name: caption, exact: true }).getByRole('row').allTextContents();

/** The facts that a page shows, by their label. */
const factsOf = (shown: Page): Promise<Record<string, string>> =>
  shown
    .locator('.facts dt')
    .evaluateAll((labels) =>
      Object.fromEntries(
        labels.map((label) => [label.textContent ?? '', label.nextElementSibling?.firstChild?.textContent ?? '']),
      ),
    );

describe('affiliates', () => {
  it('are created from the empty list, corrected after a mistake, and found again', async () => {
    await makeAffiliate(api, { email: 'taken@example.com' });
    await open();
    await goTo(page, 'Affiliates');
    await follow(page, 'New affiliate');
    await fill('First name', 'Zoë');
    await fill('Email', 'taken@example.com');
    await fill('Commission rate', '101');
    await press(page, 'Create affiliate');
    await page.getByText('Must be at most 100').waitFor();
    expect([await entered('First name'), await entered('Email')]).toEqual(['Zoë', 'taken@example.com']);
    await fill('Commission rate', '12.5');
    await press(page, 'Create affiliate');
    await page.getByText('Is already in use').waitFor();
    await fill('Email', 'zoe@example.com');
    await press(page, 'Create affiliate');
    await waitForHeading(page, 'Zoë');
    expect(await toast()).toBe('The affiliate was created.');
    expect((await api.get('/affiliates/email:zoe@example.com')).body).toMatchObject({ commissionRate: 12.5 });

    await goTo(page, 'Affiliates');
    await fill('Name or email', 'zo');
    await press(page, 'Filter');
    await follow(page, 'Zoë');
    await waitForHeading(page, 'Zoë');
  });

  it('are edited, and lose what is emptied', async () => {
    const { id } = await makeAffiliate(api, {
      firstName: 'Ama',
      lastName: 'Boateng',
      commissionRate: 30,
      externalId: 'a-1',
    });
    await open(`/affiliates/${id}`);
    await follow(page, 'Edit');
    await fill('First name', 'Amma');
    await fill('Commission rate', '');
    await fill('External ID', '');
    await page.getByLabel('Payment method').selectOption('PayPal');
    await press(page, 'Save');
    await waitForHeading(page, 'Amma Boateng');
    const { body } = await api.get(`/affiliates/${id}`);
    expect(body).toMatchObject({ firstName: 'Amma', commissionRate: 20, externalId: null, paymentMethod: 'PAYPAL' });
    await follow(page, 'Edit');
    await fill('First name', '');
    await page.getByLabel('First name').evaluate((input) => input.removeAttribute('required'));
    await press(page, 'Save');
    await page.getByRole('alert').waitFor();
    expect(await entered('Last name')).toBe('Boateng');
  });

  it('are approved, deactivated, banned and deleted, and each is asked for before it is done', async () => {
    const { id, email } = await makeAffiliate(api, { firstName: 'Ada', lastName: 'Obi', affiliateStatus: 'inactive' });
    const status = async () => (await api.get(`/affiliates/${id}`)).body.status;
    await open(`/affiliates/${id}`);
    await press(page, 'Approve');
    await page.getByText('The affiliate is active.').waitFor();
    expect(await status()).toBe('ACTIVE');
    await follow(page, 'Deactivate');
    expect(await status()).toBe('ACTIVE');
    await press(page, 'Deactivate');
    await page.getByText('The affiliate was deactivated.').waitFor();
    await follow(page, 'Ban');
    await waitForHeading(page, 'Ban Ada Obi?');
    await press(page, 'Ban');
    await page.getByText('The affiliate was banned.').waitFor();
    expect(await status()).toBe('BANNED');
    await follow(page, 'Delete');
    await waitForHeading(page, 'Delete Ada Obi?');
    expect(await status()).toBe('BANNED');
    await press(page, 'Delete affiliate');
    await waitForHeading(page, 'Affiliates');
    expect((await api.get(`/affiliates/email:${email}`)).status).toBe(404);
  });

  it('get more links, which are renamed and deleted', async () => {
    const { id } = await makeAffiliate(api, { firstName: 'Li', lastName: 'Wei', affiliateLink: 'li-wei' });
    await open(`/affiliates/${id}`);
    await follow(page, 'Add link');
    await fill('Link', 'li wei');
    await press(page, 'Add link');
    await page.getByText('May have letters, digits and hyphens only').waitFor();
    expect(await entered('Link')).toBe('li wei');
    await fill('Link', 'li-summer');
    await press(page, 'Add link');
    await waitForHeading(page, 'li-summer');
    await follow(page, 'Rename');
    await fill('Link', 'li-autumn');
    await press(page, 'Rename');
    await waitForHeading(page, 'li-autumn');
    await follow(page, 'Delete');
    await press(page, 'Delete link');
    await waitForHeading(page, 'Li Wei');
    expect(await rowsOf('Links')).toEqual([expect.stringContaining('Link'), expect.stringContaining('li-wei')]);
  });
});

describe('coupons and codes', () => {
  it('are created one after the other, with every mistake beside its field', async () => {
    await makeAffiliate(api, { firstName: 'Noor', lastName: 'Haddad', email: 'noor@example.com' });
    await open('/promotional-codes');
    await follow(page, 'New code');
    await follow(page, 'New coupon');
    await fill('Name', 'Spring sale');
    await page.getByLabel('Discount').selectOption('Fixed amount');
    await press(page, 'Create coupon');
    await page.getByText('Is required for a FLAT coupon').waitFor();
    expect(await entered('Name')).toBe('Spring sale');
    await fill('Amount off', '12.50');
    await fill('Redeem by', '2099-12-31');
    await press(page, 'Create coupon');
    await waitForHeading(page, 'Spring sale');
    await page.getByText('$12.50 off', { exact: true }).waitFor();

    await follow(page, 'New code');
    await fill('Affiliate', 'nobody@example.com');
    await press(page, 'Create code');
    await page.getByText('Affiliate not found').waitFor();
    await fill('Affiliate', 'noor@example.com');
    await fill('Minimum amount', '0.30');
    await unfold('More options');
    await page.getByLabel('Only for a customer’s first order').check();
    await press(page, 'Create code');
    await waitForHeading(page, 'NOORHADDAD1250');
    expect((await api.get('/promotional-codes/code:NOORHADDAD1250')).body).toMatchObject({
      isAutoGenerated: true,
      minimumAmount: 0.3,
      firstTimeOrder: true,
      active: true,
      coupon: { name: 'Spring sale', redeemBy: '2099-12-31T23:59:59.999Z', couponType: 'FLAT' },
    });
  });

  it('codes are edited, deactivated in bulk, and deleted', async () => {
    const coupon = await makeCoupon(api);
    const expiresAt = '2099-01-01T08:00:00.000Z';
    const [one, other] = [
      await makeCode(api, coupon.id, { code: 'ONE', expiresAt, maxRedemptions: 5 }),
      await makeCode(api, coupon.id, { code: 'OTHER' }),
    ];
    const codeOf = async ({ id }: { id: string }) => (await api.get(`/promotional-codes/${id}`)).body;
    await open(`/promotional-codes/${one.id}`);
    await follow(page, 'Edit');
    await fill('Code', 'OTHER');
    await fill('Maximum redemptions', '');
    await press(page, 'Save');
    await page.getByText('Already exists in this program').waitFor();
    await fill('Code', 'ONE2');
    await press(page, 'Save');
    await waitForHeading(page, 'ONE2');
    // The time that an integration has set survives a form that shows its day alone.
    expect(await codeOf(one)).toMatchObject({ code: 'ONE2', maxRedemptions: null, expiresAt, active: true });

    await goTo(page, 'Codes & coupons');
    await page.getByLabel('Select ONE2').check();
    await page.getByLabel('Select OTHER').check();
    await press(page, 'Deactivate');
    expect(await toast()).toBe('The selected codes were deactivated.');
    expect([(await codeOf(one)).active, (await codeOf(other)).active]).toEqual([false, false]);
    await follow(page, 'ONE2');
    await follow(page, 'Delete');
    await press(page, 'Delete code');
    await waitForHeading(page, 'Codes');
    expect((await api.get(`/promotional-codes/${one.id}`)).status).toBe(404);
  });

  it('codes are added line by line, and each line that fails says why', async () => {
    const { id: couponId } = await makeCoupon(api, { name: 'Many' });
    const { email, id: affiliateId } = await makeAffiliate(api);
    await open(`/coupons/${couponId}`);
    await follow(page, 'Add many');
    await fill('Codes', `BULK1, ${email}\nBULK2\nBULK1\nNO SPACE`);
    await press(page, 'Create codes');
    await waitForHeading(page, '2 codes were created');
    expect(await rowsOf('Lines that failed')).toHaveLength(3);
    // Only what failed can be corrected and sent again, with the same coupon.
    expect(await entered('Codes')).toBe('BULK1\nNO SPACE');
    await fill('Codes', 'BULK3\nNOSPACE');
    await press(page, 'Create codes');
    await waitForHeading(page, '2 codes were created');
    expect(await page.getByLabel('Codes', { exact: true }).count()).toBe(0);
    expect((await api.get('/promotional-codes/code:NOSPACE')).body).toMatchObject({ couponId });
    await follow(page, 'View codes');
    expect((await api.get('/promotional-codes/code:BULK1')).body).toMatchObject({ affiliateId, couponId });
  });

  it('a coupon is edited, switched off and deleted', async () => {
    const { id } = await makeCoupon(api, { name: 'Autumn', duration: 'repeating', durationInMonths: 3 });
    await open(`/coupons/${id}`);
    await follow(page, 'Edit');
    await fill('Percent off', '200');
    await press(page, 'Save');
    await page.getByText('Must be at most 100').waitFor();
    await fill('Percent off', '25');
    await unfold('More options');
    await fill('Only for these products', 'p-1\np-2');
    await page.getByLabel('Give every new affiliate a code of this coupon').check();
    await page.getByLabel('Its codes can be redeemed').uncheck();
    await press(page, 'Save');
    await waitForHeading(page, 'Autumn');
    expect((await api.get(`/coupons/${id}`)).body).toMatchObject({
      percentOff: 25,
      valid: false,
      durationInMonths: 3,
      limitToProducts: true,
      productIds: ['p-1', 'p-2'],
      autoCouponRule: { enabled: true },
    });
    await follow(page, 'Delete');
    await press(page, 'Delete coupon');
    await waitForHeading(page, 'Coupons');
    expect((await api.get(`/coupons/${id}`)).status).toBe(404);
  });
});

describe('sales and referrals', () => {
  it('a sale is recorded, corrected, refunded in part and in whole, and deleted', async () => {
    const { id: affiliateId } = await makeAffiliate(api, { firstName: 'Uma', affiliateLink: 'uma' });
    await open('/sales');
    await follow(page, 'Record sale');
    await fill('Amount', '49.9');
    await fill('Customer’s name', 'Jonas Weber');
    await press(page, 'Record sale');
    await page.getByText('Is required unless you enter an email or an affiliate').waitFor();
    expect([await entered('Amount'), await entered('Customer’s name')]).toEqual(['49.9', 'Jonas Weber']);
    await unfold('More options');
    await fill('Affiliate’s link', 'uma');
    await press(page, 'Record sale');
    expect(await toast()).toBe('The sale was recorded.');
    const id = page.url().match(/sales\/(\d+)/)?.[1];
    const sale = async () => (await api.get(`/sales/${id}`)).body;
    expect(await sale()).toMatchObject({ affiliateId, totalEarned: 49.9, commissionEarned: 9.98 });

    await follow(page, 'Edit');
    expect(await entered('Amount')).toBe('49.90');
    await fill('Amount', '59.90');
    await fill('External ID', 'order-59');
    await press(page, 'Save');
    expect(await toast()).toBe('Saved.');
    await follow(page, 'Refund');
    expect(await factsOf(page)).toMatchObject({ Customer: 'Jonas Weber', Amount: '$59.90', Commission: '$11.98' });
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    await page.getByLabel('Part of it').check();
    await fill('Amount', '60');
    await press(page, 'Record refund');
    await page.getByText('Must be at most 59.9, which is what is left').waitFor();
    await fill('Amount', '9.90');
    await press(page, 'Record refund');
    await page.getByText('Partly refunded').waitFor();
    expect(await sale()).toMatchObject({ refundedAmount: 9.9, commissionEarned: 10, externalId: 'order-59' });
    await follow(page, 'Refund');
    await page.getByLabel('All of it: $50.00').check();
    await press(page, 'Record refund');
    await page.getByText('Refunded', { exact: true }).first().waitFor();
    expect(await sale()).toMatchObject({ status: 'REFUNDED', commissionEarned: 0 });
    await follow(page, 'Delete');
    await press(page, 'Delete sale');
    await waitForHeading(page, 'Sales');
    expect((await api.get(`/sales/${id}`)).status).toBe(404);
  });

  it('a refund that is sent twice refunds once', async () => {
    const { id: referralId } = await makeAffiliate(api);
    const { body } = await api.post('/sales', { totalEarned: 20, referralId });
    const person = await signedIn(api.ownerEmail);
    const path = `/programs/${api.programId}/sales/${body.id}/refund`;
    const version = /name="version" value="(\d+)"/.exec((await person.visit(path)).text)?.[1] ?? '';
    const sent = [
      await person.submit(path, { scope: 'part', amount: '5', version }),
      await person.submit(path, { scope: 'part', amount: '5', version }),
    ];
    expect(sent.map(({ status }) => status)).toEqual([303, 412]);
    expect(sent[1]?.text).toContain('This was changed in the meantime.');
    expect((await api.get(`/sales/${body.id}`)).body.refundedAmount).toBe(5);
    for (const number of ['0', '99999999999999999999', 'x'])
      expect((await person.visit(path.replace(String(body.id), number))).status).toBe(404);
  });

  it('a referral is created, corrected and deleted', async () => {
    const { email, id: affiliateId } = await makeAffiliate(api);
    await open('/referrals');
    await follow(page, 'New referral');
    await fill('Name', 'Priya Sharma');
    await fill('Email', 'priya@example.net');
    await press(page, 'Create referral');
    await page.getByText('Enter either the affiliate or a code').waitFor();
    expect(await entered('Name')).toBe('Priya Sharma');
    await fill('Affiliate', email);
    await press(page, 'Create referral');
    await waitForHeading(page, 'Priya Sharma');
    const read = () => api.get('/referrals/email:priya@example.net');
    expect((await read()).body).toMatchObject({ affiliateId });
    await follow(page, 'Edit');
    await unfold('More options');
    await fill('Plan', 'Pro');
    await fill('Notes', 'Met at the fair.\nWants a call.');
    await page.getByLabel('Status').selectOption('Declined');
    await press(page, 'Save');
    await waitForHeading(page, 'Priya Sharma');
    expect((await read()).body).toMatchObject({
      plan: 'Pro',
      subscriptionStatus: 'DECLINED',
      notes: 'Met at the fair.\r\nWants a call.',
    });
    await follow(page, 'Delete');
    await press(page, 'Delete referral');
    await waitForHeading(page, 'Referrals');
    expect((await read()).status).toBe(404);
  });
});

describe('the overview and the lists', () => {
  it('show a period of choice, say what is wrong with one that is none, and lead to what waits', async () => {
    await makeAffiliate(api, { firstName: 'Wanda', lastName: 'Waits', affiliateStatus: 'inactive' });
    await open();
    await follow(page, '90 days');
    await page.locator('[aria-current="page"]', { hasText: '90 days' }).waitFor();
    await fill('From', '2026-03-02');
    await fill('To', '2026-03-01');
    await press(page, 'Show');
    await page.getByText('Must not be before “From”').waitFor();
    expect([await entered('From'), await entered('To')]).toEqual(['2026-03-02', '2026-03-01']);
    await fill('To', '2026-03-31');
    await press(page, 'Show');
    await page.getByText('No sales in this period').waitFor();
    await page.getByRole('link', { name: '1 affiliate to review' }).click();
    await waitForHeading(page, 'Affiliates');
    expect(await rowsOf('Affiliates')).toContainEqual(expect.stringContaining('Wanda Waits'));
    await page.getByLabel('Sort by').selectOption('Email');
    await press(page, 'Filter');
    expect(new URL(page.url()).search).toMatch(/status=INACTIVE.*sort=email/);
    await follow(page, 'Links');
    await fill('Link begins with', 'wanda');
    await press(page, 'Filter');
    await follow(page, 'wanda-waits');
    await waitForHeading(page, 'wanda-waits');
  });
});

describe('lists', () => {
  it('are downloaded as CSV under their filters, every page, with cells that no spreadsheet runs', async () => {
    const program = await makeProgram();
    const person = await signedIn(program.ownerEmail);
    const names = Array.from({ length: 27 }, (_, at) => (at === 0 ? '=HYPERLINK("x")' : `Person ${at}`));
    await Promise.all(
      names.map((firstName, at) =>
        makeAffiliate(program, { firstName, lastName: '', email: `person-${at}@example.com` }),
      ),
    );
    const path = `/programs/${program.programId}/affiliates`;
    const { text, headers } = await person.visit(`${path}.csv`);
    const rows = text.trim().split('\r\n');
    expect(rows).toHaveLength(28);
    expect(headers.get('content-disposition')).toBe('attachment; filename="affiliates.csv"');
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect((await person.visit(`${path}.csv?search=person+1&status=ACTIVE`)).text.trim().split('\r\n')).toHaveLength(
      12,
    );
    expect((await person.visit(`${path}.csv?to=2024-01-01`)).text.trim().split('\r\n')).toHaveLength(1);
    const link = (await person.visit(`${path}?search=person+1&from=2026-01-01`)).text;
    expect(link).toContain(`href="${path}.csv?search=person+1&amp;from=2026-01-01"`);
    expect((await person.visit(`${path}?from=yesterday`)).status).toBe(400);
  });
});

describe('payouts', () => {
  it('are previewed, created, waited for, downloaded, marked as paid, and a batch that is not wanted is deleted', async () => {
    const shop = await makeProgram();
    const person = await signedIn(shop.ownerEmail);
    const [ada, bola] = [
      await makeAffiliate(shop, { firstName: 'Ada', lastName: 'Eze', paymentMethod: 'PAYPAL' }),
      await makeAffiliate(shop, {
        firstName: 'Bola',
        lastName: 'Ojo',
        paymentMethod: 'WISE',
        payoutEmail: 'b@pay.example',
      }),
    ];
    await shop.post('/sales', { totalEarned: 100, referralId: ada.id });
    await shop.post('/sales', { totalEarned: 50.5, referralId: bola.id });
    if (!browser) throw new Error('The test is skipped without one');
    const own = await openSignedIn(browser, person);
    await own.goto(`/programs/${shop.programId}`);
    await goTo(own, 'Payouts');
    await follow(own, 'New payout');
    await own.getByLabel('Name', { exact: true }).fill('Everything');
    await own.getByLabel('Minimum payout').fill('a lot');
    await press(own, 'Preview');
    await own.getByText('Must be a number').waitFor();
    expect(await own.getByLabel('Name', { exact: true }).inputValue()).toBe('Everything');
    await own.getByLabel('Minimum payout').fill('');
    await press(own, 'Preview');
    await waitForHeading(own, 'Preview of Everything');
    const preview = await own.getByRole('region', { name: 'Preview', exact: true }).getByRole('row').allTextContents();
    expect(preview.slice(1)).toEqual([
      expect.stringMatching(/Ada Eze.*PayPal.*\$20\.00/),
      expect.stringMatching(/Bola Ojo.*b@pay\.example.*Wise.*\$10\.10/),
    ]);
    expect((await shop.get('/payout-batches')).body).toEqual([]);
    await press(own, 'Create payout batch');
    // The page looks again by itself until the batch is ready.
    await own.getByText('Ready to pay').waitFor();
    const batchPath = new URL(own.url()).pathname;
    const file = async (format: string) =>
      (await person.visit(`${batchPath}/payouts.csv?format=${format}`)).text.trim().split('\r\n').slice(1);
    expect(await file('all')).toHaveLength(2);
    expect(await file('paypal')).toEqual([expect.stringMatching(`^"${ada.email}","20.00","USD",".*","Everything"$`)]);
    expect(await file('wise')).toEqual([
      '"Bola Ojo","b@pay.example","Everything","PERSON","target","10.10","USD","USD","EMAIL"',
    ]);
    expect((await person.visit(`/programs/${shop.programId}/payout-batches.csv?status=READY`)).text).toContain('30.10');

    await follow(own, 'Delete');
    await press(own, 'Delete batch');
    await waitForHeading(own, 'Payouts');
    // The deleted batch gives its sales back in the background.
    const taken = async () =>
      (await shop.get('/sales')).body.filter(({ payoutBatchId }: { payoutBatchId: unknown }) => payoutBatchId);
    await expect.poll(taken, { timeout: 30_000 }).toEqual([]);
    await shop.post('/payout-batches', { name: 'Only Ada', affiliateIds: [ada.id] });
    await expect.poll(async () => (await shop.get('/payout-batches?status=READY')).body.length).toBe(1);
    await own.reload();
    await follow(own, 'Only Ada');
    await follow(own, 'Mark as paid');
    await press(own, 'Mark as paid');
    expect(await own.getByRole('status').textContent()).toBe('The batch is marked as paid.');
    expect((await shop.get('/payout-batches?status=PAID')).body[0]).toMatchObject({ totalAmount: 20 });
    const paid = new URL(own.url()).pathname;
    await follow(own, 'Statement of Ada Eze');
    await waitForHeading(own, 'Statement');
    expect(await factsOf(own)).toMatchObject({ 'Payout batch': 'Only Ada', Commission: '$20.00', Payout: '$20.00' });
    // A refund of what was paid is taken off the next payout.
    const [sale] = (await shop.get(`/sales?affiliateId=${ada.id}`)).body;
    expect((await shop.patch('/sales', { saleId: sale.id, amount: 25 })).body.refundedAmount).toBe(25);
    await own.goto(`/programs/${shop.programId}/affiliates/${ada.id}`);
    await follow(own, 'Statement');
    await own.getByText('Next payout is reduced by').waitFor();
    expect(await factsOf(own)).toMatchObject({ 'Already paid': '$20.00', 'Revenue after refunds': '$75.00' });
    await own.emulateMedia({ media: 'print' });
    expect(await own.getByRole('navigation').count()).toBe(0);
    await own.emulateMedia({ media: 'screen' });
    await own.getByLabel('From').fill('2020-01-01');
    await press(own, 'Show');
    await own.getByText('Choose at most 366 days').waitFor();
    expect(await own.getByLabel('From').inputValue()).toBe('2020-01-01');
    expect(
      (await person.visit(`${paid.replace(/payout-batches.*/, '')}affiliates/${ada.id}/statement?batch=${bola.id}`))
        .status,
    ).toBe(404);
    expect((await person.submit(`${paid}/delete`)).status).toBe(409);
    expect((await shop.delete('/affiliates', { affiliateId: ada.id })).status).toBe(200);
    for (const path of [paid, `${paid}/payouts.csv`]) expect((await person.visit(path)).text).toContain('Ada Eze');
    const list = `/programs/${shop.programId}/payout-batches`;
    expect((await person.visit(`${list}?status=PAID`)).text).toContain('Only Ada');
    expect((await person.visit(`${list}.csv`)).text).toContain('Only Ada');
    await own.context().close();
  });
});

describe('the developers’ pages', () => {
  it.each([false, true])(
    'let a person set up webhooks and look into events, with scripts: %s',
    async (javaScriptEnabled) => {
      if (!browser) throw new Error('The test is skipped without one');
      const receiver = await startScriptedReceiver(() => ({ status: 503, body: 'We are moving' }));
      const own = await openSignedIn(browser, await signedIn(api.ownerEmail), { javaScriptEnabled });
      await own.goto(`/programs/${api.programId}`);
      await goTo(own, 'Webhooks');
      await follow(own, 'Add endpoint');
      await own.getByLabel('URL').fill('http://shop.example/hooks');
      await own.getByLabel('Only these:').check();
      await own.getByLabel('affiliate.created').check();
      await own.getByText('An affiliate joined the program').waitFor();
      await press(own, 'Add endpoint');
      await own.getByText('Must begin with https://').waitFor();
      expect(await own.getByLabel('affiliate.created').isChecked()).toBe(true);
      await own.getByLabel('URL').fill(receiver.url('/hooks'));
      await press(own, 'Add endpoint');
      await waitForHeading(own, 'Signing secret');
      expect(await own.locator('#secret').textContent()).toMatch(/^whsec_/);
      const { id } = await makeAffiliate(api, { firstName: 'Kofi', lastName: 'Mensah' });
      await receiver.waitFor('/hooks', 1);

      await goTo(own, 'Events');
      await own.getByLabel('Type').selectOption('affiliate.created');
      await press(own, 'Filter');
      await expect.poll(async () => (await own.reload()) && own.getByText('Kofi Mensah').count()).toBeGreaterThan(0);
      await own.getByLabel('Payload of affiliate.created').first().click();
      await own.getByText(`"id": "${id}"`).first().waitFor();
      await own.getByRole('link', { name: 'affiliate.created' }).first().click();
      await own.getByRole('link', { name: 'Kofi Mensah' }).waitFor();
      await expect.poll(async () => (await own.reload()) && own.getByText('We are moving').count()).toBe(1);
      await own.getByRole('link', { name: receiver.url('/hooks') }).click();
      await waitForHeading(own, 'Delivery');
      await press(own, 'Resend');
      await receiver.waitFor('/hooks', 2);

      await follow(own, 'Endpoint');
      await follow(own, 'Send missed events');
      await own.getByLabel('Since').fill('2020-01-01T00:00');
      await press(own, 'Send missed events');
      await own.getByText('Must lie within the last 30 days').waitFor();
      await own.getByLabel('Since').fill(new Date(Date.now() - 600_000).toISOString().slice(0, 16));
      await press(own, 'Send missed events');
      await own.getByText('Missed events are being sent').waitFor();
      await receiver.waitFor('/hooks', 3);
      await follow(own, 'Delete');
      await waitForHeading(own, 'Delete this endpoint?');
      await press(own, 'Delete endpoint');
      await waitForHeading(own, 'Webhooks');

      await goTo(own, 'API keys');
      await own.getByRole('row', { name: 'First key' }).getByText(`by ${api.ownerEmail}`).waitFor();
      await own
        .getByRole('row', { name: 'First key' })
        .getByText(/, \d\d:\d\d UTC/)
        .waitFor();
      await goTo(own, 'Connected apps');
      await own.getByText('The platform does not have this app yet').click();
      await own.getByText('/api/automation/token').waitFor();
      await own.context().close();
      receiver.stop();
    },
  );
});

describe('copying', () => {
  it('takes one click with scripts, and selects the whole text without them', async () => {
    if (!browser) throw new Error('The test is skipped without one');
    const { id } = await makeAffiliate(api, { externalId: 'crm-7731 ab' });
    const path = `/programs/${api.programId}/affiliates/${id}`;
    await page.goto(path);
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
    await page.getByText('crm-7731 ab').click({ position: { x: 4, y: 4 } });
    expect(await page.evaluate('getSelection().toString()')).toBe('crm-7731 ab');
    const field = page.getByRole('textbox', { name: 'the external ID', exact: true });
    await page.getByRole('link', { name: 'Add link', exact: true }).focus();
    for (let tabs = 0; tabs < 60 && !(await field.evaluate((one) => one.matches(':focus'))); tabs++)
      await page.keyboard.press('Tab');
    expect(await page.evaluate('getSelection().toString()')).toBe('crm-7731 ab');
    await field.evaluate((one) => one.matches(':focus') || Promise.reject(new Error('Tab does not reach it')));

    const permissions = ['clipboard-read', 'clipboard-write'];
    const own = await openSignedIn(browser, await signedIn(api.ownerEmail), { permissions });
    const complaints: string[] = [];
    own.on('console', (message) => complaints.push(message.text()));
    await own.goto(path);
    await press(own, 'Copy the external ID');
    await own.getByRole('status').getByText('Copied').waitFor();
    expect(await own.evaluate('navigator.clipboard.readText()')).toBe('crm-7731 ab');
    expect(complaints).toEqual([]);
    await own.context().close();
  });
});

describe('suggestions', () => {
  it('are listed while one types any word of a name, and are chosen by keyboard', async () => {
    if (!browser) throw new Error('The test is skipped without one');
    const shop = await makeProgram();
    for (const [firstName, lastName] of [
      ['Amara', 'Okafor'],
      ['Chidi', 'Okafor'],
      ['Noor', 'Haddad'],
    ])
      await makeAffiliate(shop, { firstName, lastName, email: `${firstName?.toLowerCase()}@example.com` });
    const own = await openSignedIn(browser, await signedIn(shop.ownerEmail));
    await own.goto(`/programs/${shop.programId}/sales/new`);
    await own.getByLabel('Amount').fill('10');
    const control = own.getByRole('combobox', { name: 'Affiliate', exact: true });
    await control.focus();
    await own.keyboard.type('okaf');
    await own.getByRole('option').nth(1).waitFor();
    const shown = await own.getByRole('option').allTextContents();
    expect(shown.toSorted()).toEqual(['Amara Okafor amara@example.com', 'Chidi Okafor chidi@example.com']);
    await own.keyboard.press('ArrowDown');
    await own.keyboard.press('ArrowDown');
    const second = own.getByRole('option', { selected: true });
    expect(await second.textContent()).toBe(shown[1]);
    expect(await control.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'));
    await own.keyboard.press('Enter');
    const email = shown[1]?.split(' ').at(-1);
    expect(await control.inputValue()).toBe(email);
    expect(await own.getByRole('option').count()).toBe(0);
    await own.keyboard.press('Enter');
    expect(await own.getByRole('status').textContent()).toBe('The sale was recorded.');
    const { body } = await shop.get('/sales');
    expect(body[0].affiliateId).toBe((await shop.get(`/affiliates/email:${email}`)).body.id);

    await own.goto(`/programs/${shop.programId}/sales/new`);
    await control.focus();
    await own.keyboard.type('noor');
    await own.getByRole('option').waitFor();
    await own.keyboard.press('Escape');
    expect([await own.getByRole('option').count(), await control.inputValue()]).toEqual([0, 'noor']);
    await own.context().close();
  });
});

describe('on a phone', () => {
  it('the first record of a list is on the first screen, and the buttons for chosen ones stay in view', async () => {
    if (!browser) throw new Error('The test is skipped without one');
    const shop = await makeProgram();
    const { email } = await makeAffiliate(shop, { firstName: 'Amara', lastName: 'Okafor' });
    const coupon = await makeCoupon(shop);
    for (let made = 0; made < 12; made++) await makeCode(shop, coupon.id, { code: `CODE${made}` });
    await shop.post('/sales', { totalEarned: 10, promoCode: 'CODE0', email: 'jonas@example.net' });
    await shop.post('/referrals', { name: 'Jonas', email: 'jonas@example.net', affiliateEmail: email });
    const viewport = { width: 390, height: 844 };
    const own = await openSignedIn(browser, await signedIn(shop.ownerEmail), { viewport });
    for (const list of ['affiliates', 'links', 'sales', 'referrals', 'promotional-codes', 'coupons']) {
      await own.goto(`/programs/${shop.programId}/${list}`);
      const box = await own.getByRole('row').nth(1).boundingBox();
      expect((box?.y ?? 844) + (box?.height ?? 0), list).toBeLessThanOrEqual(844);
    }
    await own.goto(`/programs/${shop.programId}/promotional-codes`);
    const button = own.getByRole('button', { name: 'Deactivate', exact: true });
    const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(844);
    await own.context().close();
  });
});
