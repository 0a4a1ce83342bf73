import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { type Api, makeProgram } from '../support/program.ts';
import { noChromium } from './chromium.ts';
import { executablePath, launchChromium, openSignedIn } from './window.ts';

/** What people do in the dashboard, as they do it: one program and one browser for all. Nothing here needs a script. */

export let browser: Browser | undefined;
export let api: Api;
export let page: Page;

export const open = (path = '') => page.goto(`/programs/${api.programId}${path}`);
export const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
export const entered = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
export const toast = () => page.getByRole('status').textContent();
/** What a table of the page shows, row by row. */
export const rowsOf = (caption: string) =>
  page.getByRole('region', { name: caption, exact: true }).getByRole('row').allTextContents();

/** The facts that a page shows, by their label. */
export const factsOf = (shown: Page): Promise<Record<string, string>> =>
  shown
    .locator('.facts dt')
    .evaluateAll((labels) =>
      Object.fromEntries(
        labels.map((label) => [label.textContent ?? '', label.nextElementSibling?.firstChild?.textContent ?? '']),
      ),
    );

export const useBrowser = (): void => {
  beforeAll(async () => {
    if (!executablePath) return;
    [browser, api] = await Promise.all([launchChromium(), makeProgram()]);
    if (browser) page = await openSignedIn(browser, await signedIn(api.ownerEmail), { javaScriptEnabled: false });
  });
  afterAll(() => browser?.close());
  beforeEach(({ skip }) => skip(!executablePath, noChromium));
};
