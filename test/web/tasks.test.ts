import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { noChromium } from './chromium.ts';
import { executablePath, follow, launchChromium, openSignedIn, press, waitForHeading } from './window.ts';

/** What people do in the dashboard, as they do it: one program and one browser for all. Nothing here needs a script. */

const timeout = 60_000;

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
const toast = () => page.getByRole('status').textContent();
/** What a table of the page shows, row by row. */
const rowsOf = (caption: string) =>
  page.getByRole('region', { name: caption, exact: true }).getByRole('row').allTextContents();

describe('affiliates', { timeout }, () => {
  it('are created from the empty list, corrected after a mistake, and found again', async () => {
    await makeAffiliate(api, { email: 'taken@example.com' });
    await open();
    await follow(page, 'Affiliates');
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

    await follow(page, 'Affiliates');
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
    await fill('External id', '');
    await page.getByLabel('Paid by').selectOption('PayPal');
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
