import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { noChromium } from './chromium.ts';
import { executablePath, launchChromium, openSignedIn } from './window.ts';

/** What does not fit beside something else on a phone gets a line or a place of its own. */

let browser: Browser | undefined;
let api: Api;
let page: Page;
beforeAll(async () => {
  if (!executablePath) return;
  [browser, api] = await Promise.all([launchChromium(), makeProgram()]);
  if (browser)
    page = await openSignedIn(browser, await signedIn(api.ownerEmail), { viewport: { width: 390, height: 844 } });
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

/** The number of lines that a text takes. */
const linesOf = (selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  });

it('an email is on one line of the facts', async () => {
  const { id } = await makeAffiliate(api, { email: 'ximena.ibanez@subdomain.example' });
  await page.goto(`/programs/${api.programId}/affiliates/${id}`);
  expect(await linesOf('.facts .email')).toBe(1);
  await page.goto(`/programs/${api.programId}/affiliates/${id}/statement`);
  expect(await linesOf('.facts .hint .email')).toBe(1);
});

it('a state is beside the name of its record, however long that is', async () => {
  await makeAffiliate(api, { firstName: 'Anne-Marie', lastName: 'Dupont-Krishnamurthy', affiliateStatus: 'inactive' });
  await page.goto(`/programs/${api.programId}/affiliates`);
  const [name, state] = await page
    .getByRole('row')
    .filter({ hasText: 'Krishnamurthy' })
    .evaluate((row) => ['.row-link', '.state'].map((part) => row.querySelector(part)?.getBoundingClientRect()));
  expect(state?.left).toBeGreaterThanOrEqual(name?.right ?? Number.POSITIVE_INFINITY);
  expect(state?.top).toBeLessThan(name?.bottom ?? 0);
});

it('the way back names the page above, and not those above it', async () => {
  const { id } = await makeAffiliate(api, { firstName: 'Ximena', lastName: '' });
  await page.goto(`/programs/${api.programId}/affiliates/${id}/edit`);
  const shown = page.locator('.trail li:visible');
  expect(await shown.allTextContents()).toEqual(['Ximena', expect.stringContaining('Edit')]);
  expect(await shown.first().evaluate((item) => getComputedStyle(item, '::before').display)).toBe('none');
});

it('a step of a new program has its button below its text', async () => {
  await page.goto(`/programs/${api.programId}`);
  const steps = page.locator('.checklist li:has(.button)');
  expect(await steps.count()).toBeGreaterThan(3);
  const gaps = await steps.evaluateAll((items) =>
    items.map((item) => {
      const [text, button] = ['div', '.button'].map((part) => item.querySelector(part)?.getBoundingClientRect());
      return (button?.top ?? 0) - (text?.bottom ?? 0);
    }),
  );
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(0);
});

it('no button covers the code of a guide', async () => {
  await page.goto('/docs/tour');
  await page.locator('.code .copy').first().waitFor();
  const overlaps = await page.locator('.code').evaluateAll((blocks) =>
    blocks.map((block) => {
      const [code, button] = ['pre', '.copy'].map((part) => block.querySelector(part)?.getBoundingClientRect());
      return (code?.right ?? 0) - (button?.left ?? 0);
    }),
  );
  expect(overlaps.length).toBeGreaterThan(5);
  for (const overlap of overlaps) expect(overlap).toBeLessThanOrEqual(0);
});
