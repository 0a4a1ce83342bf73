import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { appUrl, type Browser as SignedInBrowser } from '../support/browser.ts';
import { findChromium } from './chromium.ts';

/** One process for the pages of all sites: what these tests are after is enforced all the same, and it is quicker. */
const frugal = ['--renderer-process-limit=1', '--disable-site-isolation-trials'];

export const executablePath = findChromium();

/** This machine's Chromium; undefined where there is none. */
export const launchChromium = async (): Promise<Browser | undefined> =>
  executablePath === undefined ? undefined : chromium.launch({ executablePath, args: frugal });

/** A window of somebody who is signed in already. */
export const openSignedIn = async (
  browser: Browser,
  { cookies }: SignedInBrowser,
  options: BrowserContextOptions = {},
): Promise<Page> => {
  const context = await browser.newContext({ baseURL: appUrl(), ...options });
  const { hostname } = new URL(appUrl());
  const own = [...(cookies.get(hostname) ?? [])];
  await context.addCookies(own.map(([name, value]) => ({ name, value, domain: hostname, path: '/' })));
  return context.newPage();
};

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
/** A section of the program, by the navigation. */
export const goTo = (page: Page, section: string) =>
  page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: section, exact: true }).click();
export const waitForHeading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
