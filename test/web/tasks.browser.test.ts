import { describe, expect, it } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { api, browser, entered, fill, open, page, rowsOf, toast, useBrowser } from './task-browser.ts';
import { follow, goTo, openSignedIn, press, waitForHeading } from './window.ts';

useBrowser();

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
    await follow(page, 'Edit');
    await fill('Link', 'li-autumn');
    await press(page, 'Save');
    await waitForHeading(page, 'li-autumn');
    await follow(page, 'Delete');
    await press(page, 'Delete link');
    await waitForHeading(page, 'Li Wei');
    expect(await rowsOf('Links')).toEqual([expect.stringContaining('Link'), expect.stringContaining('li-wei')]);
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
