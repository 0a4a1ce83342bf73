import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { updatePortal } from '../../shared/domain/programs/update-portal.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { makeBatch, pay, stamped } from '../api/payout-calls.ts';
import { appUrl } from '../support/browser.ts';
import { mailedAddress } from '../support/mails.ts';
import { pathOfPortal } from '../support/portal.ts';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';
import { noChromium } from './chromium.ts';
import { startFakePlatform } from './fake-platform.ts';
import { axeFile, violationsInEveryLook } from './sights.ts';
import { executablePath, follow, launchChromium, press, waitForHeading } from './window.ts';

// What an affiliate does in the portal, as they do it.

let browser: Browser;
beforeAll(async () => {
  const launched = await launchChromium();
  if (launched) browser = launched;
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const linkFor = async (api: Api, affiliateId: string): Promise<string> =>
  (await api.post('/portal-links', { affiliateId })).body.url;

const openWindow = async (options: BrowserContextOptions): Promise<Page> =>
  (await browser.newContext({ baseURL: appUrl(), reducedMotion: 'reduce', ...options })).newPage();

const goTo = (page: Page, section: string) =>
  page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: section, exact: true }).click();

const rowsOf = (page: Page, caption: string) =>
  page.getByRole('region', { name: caption, exact: true }).getByRole('row').allTextContents();

const ways = [
  { name: 'on a phone, without scripts', options: { javaScriptEnabled: false, viewport: { width: 390, height: 844 } } },
  {
    name: 'at a desk, with scripts',
    options: { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] },
  },
] as const;

describe.each(ways)('$name', ({ options }) => {
  it('an affiliate signs in, shares a link and a code, sees sales on hold and paid, prints a statement, and signs out', async () => {
    const api = await makeProgram({ baseUrls: ['https://shop.example/'] });
    const affiliate = await makeAffiliate(api);
    await makeCoupon(api, { name: 'Spring', allowAffiliateCodes: true });
    const page = await openWindow({
      ...options,
      permissions: [...('permissions' in options ? options.permissions : [])],
    });
    await page.goto(await linkFor(api, affiliate.id));
    await waitForHeading(page, 'Welcome, Amara');
    await press(page, 'Sign in');
    await waitForHeading(page, 'Overview');
    await page.getByText('Nothing in the last 30 days').waitFor();

    await goTo(page, 'Links');
    await follow(page, 'New link');
    const link = `amara-${randomUUID().slice(0, 8)}`;
    await page.getByLabel('Link', { exact: true }).fill('with space');
    await press(page, 'Create link');
    await page.getByText('May have letters, digits and hyphens only').waitFor();
    await page.getByLabel('Link', { exact: true }).fill(link);
    await press(page, 'Create link');
    const address = page.getByText(`/r/`, { exact: false }).filter({ hasText: link });
    await address.first().waitFor();
    if (!('javaScriptEnabled' in options)) {
      await page.getByRole('button', { name: `Copy the address of ${link}` }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(new RegExp(`/r/[a-z0-9-]+/${link}$`));
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: `Download the QR code of ${link} as SVG` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${link}.svg`);

    await goTo(page, 'Codes');
    await follow(page, 'New code');
    const code = `AMARA${randomUUID().slice(0, 6)}`;
    await page.getByLabel('Code').fill(code);
    await press(page, 'Create code');
    await page.getByText('The code was created.').waitFor();
    const made = (await api.get(`/promotional-codes/code:${code}`)).body;
    expect(made).toMatchObject({ isAffiliateGenerated: true, affiliate: { id: affiliate.id } });

    const sell = async (email: string) => (await api.post('/sales', { totalEarned: 50, promoCode: code, email })).body;
    const first = await sell('priya@buyers.example');
    const batch = await makeBatch(api, { name: 'November' });
    await pay(api, batch.id);
    await stamped(api, first.id);
    const [group] = (await api.get('/groups')).body;
    await api.put('/groups', { groupId: group.id, holdDays: 30 });
    await sell('quentin@others.example');
    await goTo(page, 'Sales');
    const [, held = '', paid = ''] = await rowsOf(page, 'Sales');
    expect(held).toContain('q…@o….example');
    expect(held).toMatch(/On hold until \w+ \d+, \d{4}$/);
    expect(paid).toContain('p…@b….example');
    expect(paid).toMatch(/\$10\.00\w+ \d+, \d{4}$/);
    expect(await page.content()).not.toContain('buyers.example');

    await goTo(page, 'Payouts');
    await follow(page, 'November');
    await waitForHeading(page, 'Statement');
    expect(await rowsOf(page, 'Sales')).toHaveLength(2);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation', { name: 'Portal' }).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });

    await goTo(page, 'Payout details');
    await page.getByLabel('Payment method').selectOption('PayPal');
    await page.getByLabel('Payout email').fill('pay@example.com');
    await press(page, 'Save');
    await page.getByText('We have sent you a mail.').waitFor();
    await page.goto(await mailedAddress(affiliate.email, '/portal/'));
    await waitForHeading(page, 'Confirm your payout details');
    await press(page, 'Confirm');
    await waitForHeading(page, 'Your payout details have changed');
    await follow(page, 'Open the portal');
    expect((await api.get(`/affiliates/${affiliate.id}`)).body).toMatchObject({
      paymentMethod: 'PAYPAL',
      payoutEmail: 'pay@example.com',
    });

    await goTo(page, 'Overview');
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('.figures').first().textContent();
      })
      .toMatch(/^Total earned\$20\.00Paid\$10\.00On hold\$10\.00Until \w+ \d+, \d{4} at the latestOwed next\$0\.00/);
    await goTo(page, 'Links');
    expect(await rowsOf(page, 'Links')).toContainEqual(expect.stringMatching(new RegExp(`/${link}.*00SVG`)));
    await press(page, 'Account of Amara Okafor');
    await press(page, 'Sign out');
    await waitForHeading(page, 'Sign in');
    await page.goBack();
    await page.reload();
    await waitForHeading(page, 'Sign in');
    await page.context().close();
  });
});

describe('in a frame of another site', () => {
  it('the portal signs in by itself on a listed origin, and keeps its session there; elsewhere it is refused', async () => {
    const [listed, other] = await Promise.all([startFakePlatform(), startFakePlatform()]);
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    await updatePortal(
      api.programId,
      { portalIsOn: true, logoUrl: null, embeddingOrigins: [listed.origin] },
      new Date(),
    );
    const page = await openWindow({ viewport: { width: 1280, height: 900 } });
    const show = async (at: typeof listed, address: string) => {
      at.show('/shop', `<iframe width="1000" height="800" src="${address.replaceAll('&', '&amp;')}"></iframe>`);
      await page.goto(`${at.origin}/shop`);
      return page.frameLocator('iframe');
    };
    await show(other, await linkFor(api, affiliate.id));
    expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/);

    const frame = await show(listed, await linkFor(api, affiliate.id));
    await frame.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await frame.getByRole('banner').count()).toBe(0);
    await frame.getByRole('link', { name: 'Profile', exact: true }).click();
    await frame.getByLabel('First name').fill('Framed');
    await frame.getByRole('button', { name: 'Save' }).click();
    await frame.getByText('Saved.').waitFor();
    expect((await api.get(`/affiliates/${affiliate.id}`)).body.firstName).toBe('Framed');
    // The session in the frame is none of the portal itself.
    await page.goto(`${await pathOfPortal(api.programId)}/overview`);
    await waitForHeading(page, 'Sign in');
    await page.context().close();
    for (const platform of [listed, other]) platform.stop();
  });
});

it('an affiliate of two programs is signed in to both', async () => {
  const apis = [await makeProgram(), await makeProgram()];
  const page = await openWindow({});
  for (const api of apis) {
    await page.goto(await linkFor(api, (await makeAffiliate(api)).id));
    await press(page, 'Sign in');
    await waitForHeading(page, 'Overview');
  }
  for (const { programId } of apis) {
    await page.goto(`${await pathOfPortal(programId)}/overview`);
    await waitForHeading(page, 'Overview');
  }
  await page.context().close();
});

it('the portal in the color of a program is legible, light and dark, on a phone too', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const { name, currency, commissionRate, baseUrls, allowSelfReferral } = await getProgram(api.programId);
  const edit = { name, currency, commissionRate, baseUrls, allowSelfReferral, accentColor: '#ffe600' };
  await updateProgram(api.programId, edit, new Date());
  const page = await openWindow({});
  await page.addInitScript({ path: axeFile });
  await page.goto(await linkFor(api, affiliate.id));
  await press(page, 'Sign in');
  await waitForHeading(page, 'Overview');
  expect(await page.locator('link[href$="/ffe600"]').count()).toBe(1);
  expect(await violationsInEveryLook(page)).toEqual([]);
  await page.context().close();
});
