import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { operations } from '../../shared/contract/operations.ts';
import { guideSlugs } from '../../shared/web/documentation/guides.ts';
import { appUrl } from '../support/browser.ts';
import { findChromium, noChromium } from './chromium.ts';
import { axeFile, violationsInEveryLook } from './sights.ts';

const executablePath = findChromium();
/** A browser shares the processors with all other tests. */
const timeout = 120_000;

let browser: Browser;
beforeAll(async () => {
  if (executablePath) browser = await chromium.launch({ executablePath, args: ['--renderer-process-limit=1'] });
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const desk: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' };
const telephone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };

interface Window {
  page: Page;
  complaints: string[];
  /** Of requests. */
  origins: Set<string>;
}

const openWindow = async (options: BrowserContextOptions): Promise<Window> => {
  const context = await browser.newContext({ baseURL: appUrl(), reducedMotion: 'reduce', ...options });
  if (options.javaScriptEnabled !== false) await context.addInitScript({ path: axeFile });
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (sent) => {
    if (!sent.url().startsWith('data:')) origins.add(new URL(sent.url()).origin);
  });
  return { page, complaints, origins };
};

it('the reference is accessible in every look, and asks no other host', { timeout: 600_000 }, async () => {
  const { page, complaints, origins } = await openWindow(desk);
  await page.goto('/docs');
  const drawn = (scheme: string) => page.locator(`#reference[data-drawn="${scheme}"]`).waitFor({ timeout });
  expect(await violationsInEveryLook(page, drawn)).toEqual([]);
  // Nothing was left out to be quicker.
  const headings = (await page.locator('#reference h2').allTextContents()).map((text) => text.trim());
  expect(operations.filter(({ summary }) => !headings.includes(summary))).toEqual([]);
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([appUrl()]);
  await page.context().close();
});

it.each([...guideSlugs.map((slug) => `/docs/${slug}`), '/docs/search', '/docs/search?q=payout', '/api/v1/docs'])(
  '%s is accessible in every look',
  { timeout },
  async (address) => {
    const { page, complaints, origins } = await openWindow(desk);
    await page.goto(address);
    expect(await violationsInEveryLook(page)).toEqual([]);
    expect({ complaints, origins: [...origins] }).toEqual({ complaints: [], origins: [appUrl()] });
    await page.context().close();
  },
);

it('a reader searches by keyboard, and copies a block of code', { timeout }, async () => {
  const { page } = await openWindow({ ...desk, permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto('/docs/tour');
  await page.keyboard.press('/');
  await page.keyboard.type('rotate the secret');
  await page.locator('.results a').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/webhooks#rotate-the-secret');
  const block = page.locator('.code').first();
  await block.getByRole('button', { name: 'Copy' }).click();
  await block.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe((await block.locator('code').textContent())?.trimEnd());
  await page.context().close();
});

it('a reader without JavaScript has the menu, the search and a plain reference', { timeout }, async () => {
  const { page } = await openWindow({ ...telephone, javaScriptEnabled: false });
  await page.goto('/docs');
  await page.getByRole('link', { name: 'plain page' }).first().click();
  await page.getByRole('heading', { name: 'Affiliate program API' }).waitFor();
  await page.goto('/docs/tour');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Glossary', exact: true }).click();
  await page.getByLabel('Search the documentation').fill('idempotency');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Idempotency keys' }).click();
  await page.waitForURL('**/docs/behavior#idempotency-keys');
  await page.context().close();
});
