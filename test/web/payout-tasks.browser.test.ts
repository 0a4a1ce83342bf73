import { describe, expect, it } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { api, browser, factsOf, page, useBrowser } from './task-browser.ts';
import { follow, goTo, openSignedIn, press, waitForHeading } from './window.ts';

useBrowser();

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
    const saleOfAda = async () => (await shop.get(`/sales?affiliateId=${ada.id}`)).body[0];
    await expect.poll(async () => (await saleOfAda()).paidAt).not.toBeNull();
    const sale = await saleOfAda();
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
