import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { appUrl } from '../support/browser.ts';
import { request } from '../support/program.ts';
import { findChromium, noChromium } from './chromium.ts';
import { axeFile, overTheEdge, violationsOf } from './sights.ts';

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

/** Redoc draws every operation at once. Two and a webhook have everything that it draws. */
const shortDocument = async (): Promise<object> => {
  const { body } = await request('GET', '/openapi.json');
  const { '/promotional-codes': codes, '/sales/{id}': sale } = body.paths;
  const paths = { '/promotional-codes': { post: codes.post }, '/sales/{id}': sale };
  return { ...body, paths, webhooks: { 'sale.created': body.webhooks['sale.created'] } };
};

it.each([
  { name: 'on a desk, light', options: desk },
  { name: 'on a telephone, dark', options: telephone },
])('the reference is accessible $name, and asks no other host', { timeout }, async ({ options }) => {
  const { page, complaints, origins } = await openWindow(options);
  const document = await shortDocument();
  await page.route('**/openapi.json', (route) => route.fulfill({ json: document }));
  await page.goto('/docs');
  await page.locator('#reference[data-ready]').waitFor();
  await page.getByRole('heading', { name: 'Create a promotional code' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await overTheEdge(page)).toEqual([]);
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([appUrl()]);
  await page.context().close();
});

it('guides are accessible on a desk and a telephone, light and dark', { timeout }, async () => {
  for (const options of [desk, telephone]) {
    const { page, complaints, origins } = await openWindow(options);
    for (const address of ['/docs/webhooks', '/docs/behavior', '/docs/search?q=payout']) {
      await page.goto(address);
      expect(await violationsOf(page), address).toEqual([]);
      expect(await overTheEdge(page), address).toEqual([]);
    }
    expect({ complaints, origins: [...origins] }).toEqual({ complaints: [], origins: [appUrl()] });
    await page.context().close();
  }
});

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
