import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { sales } from '../../shared/domain/sales/repository.ts';
import { storedSaleId } from '../../shared/domain/sales/sale-id.ts';
import { editRecord } from '../../shared/platform/table/edit.ts';
import { makeBatch, pay, stamped } from '../api/payout-calls.ts';
import { mailedAddress } from '../support/mails.ts';
import { type Api, makeCoupon } from '../support/program.ts';
import { follow, press, waitForHeading } from './window.ts';

// What an affiliate does in the portal, step by step, once signed in.

export interface Walk {
  page: Page;
  api: Api;
  affiliate: { id: string; email: string };
  hasScripts: boolean;
  /** Is called on each page that the affiliate comes to. */
  look?: (name: string) => Promise<void>;
}

const goTo = (page: Page, section: string) =>
  page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: section, exact: true }).click();

const rowsOf = (page: Page, caption: string) =>
  page.getByRole('region', { name: caption, exact: true }).getByRole('row').allTextContents();

/** What affiliates need of a program: a coupon for codes of their own, and commissions on hold for a month. */
export const prepareProgram = async (api: Api): Promise<void> => {
  await makeCoupon(api, { name: 'Spring', allowAffiliateCodes: true });
  const [group] = (await api.get('/groups')).body;
  expect((await api.put('/groups', { groupId: group.id, holdDays: 30 })).status).toBe(200);
};

const createLink = async ({ page, hasScripts, look }: Walk): Promise<string> => {
  await goTo(page, 'Links');
  await follow(page, 'New link');
  await waitForHeading(page, 'New link');
  await look?.('a new link');
  const link = `amara-${randomUUID().slice(0, 8)}`;
  await page.getByLabel('Link', { exact: true }).fill('with space');
  await press(page, 'Create link');
  await page.getByText('May have letters, digits and hyphens only').waitFor();
  await page.getByLabel('Link', { exact: true }).fill(link);
  await press(page, 'Create link');
  await page.getByText(`/r/`, { exact: false }).filter({ hasText: link }).first().waitFor();
  await look?.('the links');
  if (hasScripts) {
    await page.getByRole('button', { name: `Copy the address of ${link}` }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(new RegExp(`/r/[a-z0-9-]+/${link}$`));
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: `Download the QR code of ${link} as SVG` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${link}.svg`);
  return link;
};

const createCode = async ({ page, api, affiliate, look }: Walk): Promise<string> => {
  await goTo(page, 'Codes');
  await follow(page, 'New code');
  await waitForHeading(page, 'New code');
  await look?.('a new code');
  const code = `AMARA${randomUUID().slice(0, 6)}`;
  await page.getByLabel('Code').fill(code);
  await press(page, 'Create code');
  await page.getByText('The code was created.').waitFor();
  await look?.('the codes');
  const made = (await api.get(`/promotional-codes/code:${code}`)).body;
  expect(made).toMatchObject({ isAffiliateGenerated: true, affiliate: { id: affiliate.id } });
  return code;
};

/** As if the sale had been made a month ago. */
const endHold = ({ programId }: Api, id: number) =>
  editRecord(sales, { programId, id: storedSaleId(id), noun: 'Sale' }, (sale) => ({
    after: { ...sale, payableAt: sale.createdAt },
  }));

const seeSales = async ({ page, api, look }: Walk, code: string): Promise<void> => {
  await goTo(page, 'Sales');
  await page.getByText('No sales').first().waitFor();
  await look?.('no sales');
  const sell = async (email: string) => (await api.post('/sales', { totalEarned: 50, promoCode: code, email })).body;
  const first = await sell('priya@buyers.example');
  await page.reload();
  const [, fresh = ''] = await rowsOf(page, 'Sales');
  expect(fresh).toContain('p…@b….example');
  expect(fresh).toMatch(/On hold until \w+ \d+, \d{4}$/);
  await look?.('a sale on hold');
  await endHold(api, first.id);
  await pay(api, (await makeBatch(api, { name: 'November' })).id);
  await stamped(api, first.id);
  await sell('quentin@others.example');
  await page.reload();
  const [, held = '', paid = ''] = await rowsOf(page, 'Sales');
  expect(held).toContain('q…@o….example');
  expect(held).toMatch(/On hold until \w+ \d+, \d{4}$/);
  expect(paid).toContain('p…@b….example');
  expect(paid).toMatch(/\$10\.00\w+ \d+, \d{4}$/);
  expect(await page.content()).not.toContain('buyers.example');
  await look?.('a sale that is paid');
};

/** What browsers print on A4, A5 and A6, in pixels. */
const papers = [
  { width: 718, height: 1047 },
  { width: 446, height: 680 },
  { width: 283, height: 446 },
];

const printStatement = async ({ page, hasScripts, look }: Walk): Promise<void> => {
  await goTo(page, 'Payouts');
  await waitForHeading(page, 'Payouts');
  await look?.('the payouts');
  await follow(page, 'November');
  await waitForHeading(page, 'Statement');
  await look?.('the statement');
  expect(await rowsOf(page, 'Sales')).toHaveLength(2);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation', { name: 'Portal' }).isVisible()).toBe(false);
  for (const text of ['p…@b….example', '$10.00']) expect(await page.getByText(text).first().isVisible()).toBe(true);
  if (hasScripts) expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
  const viewport = page.viewportSize();
  for (const paper of papers) {
    await page.setViewportSize(paper);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(paper.width);
  }
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({ media: 'screen' });
};

const changePayoutDetails = async ({ page, api, affiliate, look }: Walk): Promise<void> => {
  await goTo(page, 'Payout details');
  await waitForHeading(page, 'Payout details');
  await look?.('the payout details');
  await page.getByLabel('Payment method').selectOption('PayPal');
  await page.getByLabel('Payout email').fill('pay@example.com');
  await press(page, 'Save');
  await page.getByText('We have sent you a mail.').waitFor();
  await look?.('the payout details that wait');
  const unconfirmed = (await api.get(`/affiliates/${affiliate.id}`)).body;
  expect(unconfirmed).toMatchObject({ paymentMethod: null, payoutEmail: null });
  await page.goto(await mailedAddress(affiliate.email, `${new URL(page.url()).pathname}/confirm`));
  await waitForHeading(page, 'Confirm your payout details');
  await look?.('the confirmation');
  await press(page, 'Confirm');
  await waitForHeading(page, 'Your payout details have changed');
  await look?.('the payout details that changed');
  await follow(page, 'Open the portal');
  const confirmed = (await api.get(`/affiliates/${affiliate.id}`)).body;
  expect(confirmed).toMatchObject({ paymentMethod: 'PAYPAL', payoutEmail: 'pay@example.com' });
};

const figures = /^Total earned\$20\.00Paid\$10\.00On hold\$10\.00Until \w+ \d+, \d{4} at the latestOwed next\$0\.00/;

const seeFigures = async ({ page, look }: Walk, link: string): Promise<void> => {
  await goTo(page, 'Overview');
  const shown = async () => {
    await page.reload();
    return page.locator('.figures').first().textContent();
  };
  await expect.poll(shown, { timeout: 15_000 }).toMatch(figures);
  await look?.('the overview with figures');
  await goTo(page, 'Links');
  expect(await rowsOf(page, 'Links')).toContainEqual(expect.stringMatching(new RegExp(`/${link}.*00SVG`)));
};

const signOut = async ({ page, look }: Walk): Promise<void> => {
  await goTo(page, 'Profile');
  await waitForHeading(page, 'Profile');
  await look?.('the profile');
  await page.getByRole('button', { name: /^Account of / }).click();
  await press(page, 'Sign out');
  await waitForHeading(page, 'Sign in');
  await look?.('signed out');
  await page.goBack();
  await page.reload();
  await waitForHeading(page, 'Sign in');
};

/** From the first overview on: a link, a code, sales, a payout, other payout details, and out. */
export const walkThroughPortal = async (walk: Walk): Promise<void> => {
  await walk.page.getByText('Nothing in the last 30 days').waitFor();
  await walk.look?.('the first overview');
  const link = await createLink(walk);
  await seeSales(walk, await createCode(walk));
  await printStatement(walk);
  await changePayoutDetails(walk);
  await seeFigures(walk, link);
  await signOut(walk);
};
