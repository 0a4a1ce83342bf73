import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { freshEmail, signedIn } from '../support/browser.ts';
import { type Api, makeProgram } from '../support/program.ts';
import { noChromium } from './chromium.ts';
import { executablePath, follow, launchChromium, openSignedIn, press, waitForHeading } from './window.ts';

/** A form that is sent after its session ended, by somebody who signs in again. */

let browser: Browser;
let api: Api;
beforeAll(async () => {
  if (!executablePath) return;
  const launched = await launchChromium();
  if (launched) browser = launched;
  api = await makeProgram();
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const entered = { 'First name': 'Zoë "<b>"', Email: 'zoe@example.com', 'Commission rate': '12.5' };
const fieldOf = (page: Page, label: string) => page.getByLabel(label, { exact: true });

const signIn = async (page: Page, email: string): Promise<void> => {
  await fieldOf(page, 'Email').fill(email);
  await fieldOf(page, 'Password').fill(inject('password'));
  await press(page, 'Sign in');
};

/** The page of somebody who filled in a form and sent it after the session ended. */
const sendTooLate = async (options: { javaScriptEnabled?: boolean } = {}): Promise<Page> => {
  const page = await openSignedIn(browser, await signedIn(api.ownerEmail), options);
  await page.goto(`/programs/${api.programId}/affiliates/new`);
  for (const [label, text] of Object.entries(entered)) await fieldOf(page, label).fill(text);
  await page.context().clearCookies();
  await press(page, 'Create affiliate');
  await waitForHeading(page, 'Your session has ended');
  return page;
};

const expectEntered = async (page: Page): Promise<void> => {
  await page.getByText('You have signed in again. Nothing was saved yet').waitFor();
  for (const [label, text] of Object.entries(entered)) expect(await fieldOf(page, label).inputValue()).toBe(text);
  expect((await api.get('/affiliates')).body).toEqual([]);
};

it('is shown again, filled in, after a sign-in in the same tab, and is sent from there', async () => {
  const page = await sendTooLate();
  expect(await page.getByText('This opens a new tab').isVisible()).toBe(false);
  await follow(page, 'Sign in and continue');
  await signIn(page, api.ownerEmail);
  await expectEntered(page);
  await press(page, 'Create affiliate');
  await waitForHeading(page, entered['First name']);
  const [{ id }] = (await api.get('/affiliates')).body;
  await api.delete('/affiliates', { affiliateId: id });
  // It is taken up once.
  await page.goto('/programs');
  await waitForHeading(page, 'Programs');
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.context().close();
});

it('is shown to nobody else who signs in in that tab', async () => {
  const page = await sendTooLate();
  await follow(page, 'Sign in and continue');
  await signIn(page, freshEmail());
  await waitForHeading(page, 'This form has expired');
  expect(await page.content()).not.toContain('Zoë');
  await page.goto('/programs');
  await waitForHeading(page, 'Programs');
  await page.context().close();
});

it('is shown again without scripts, after a sign-in in another tab', async () => {
  const page = await sendTooLate({ javaScriptEnabled: false });
  expect(await page.getByText('Sign in and continue').isVisible()).toBe(false);
  const [other] = await Promise.all([page.context().waitForEvent('page'), follow(page, 'Sign in')]);
  await signIn(other, api.ownerEmail);
  await waitForHeading(other, 'Programs');
  await press(page, 'Continue');
  await expectEntered(page);
  await page.context().close();
});
