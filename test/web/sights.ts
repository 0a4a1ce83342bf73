import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { documents, requestOf, type WebWorld } from './every-page.ts';

/** What a browser can show of the application: each page, and what a page looks like after something went wrong. */
export interface Sight {
  name: string;
  open: (page: Page, world: WebWorld) => Promise<unknown>;
}

const shownOnes: readonly Sight[] = documents
  .filter(({ id }) => id !== 'showStart')
  .map((page) => ({
    name: page.id,
    open: (shown, world) => {
      const { address } = requestOf(page, world);
      // A filter could leave nothing to see.
      return shown.goto(page.query && 'cursor' in page.query.shape ? address.replace(/\?.*/, '') : address);
    },
  }));

/** The start page leads on whoever is signed in. */
const signedOut = async (page: Page, address: string): Promise<void> => {
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.goto(address);
  await page.context().addCookies(cookies);
};

/** The main pages, one of each kind. */
const mainPages = [
  ...[
    'showStart',
    'showPrograms',
    'showProgram',
    'showApiKeys',
    'showAffiliates',
    'showAffiliate',
    'showSales',
    'showPayoutBatches',
  ],
  ...['showWebhook', 'showWebhookChange', 'showDelivery', 'chooseProgram', 'refusedForm', 'notFound'],
];

const allSights: readonly Sight[] = [
  { name: 'showStart', open: (page) => signedOut(page, '/') },
  ...shownOnes,
  {
    name: 'refusedForm',
    open: async (page) => {
      await page.goto('/programs/new');
      await page.getByLabel('Name').fill('Shop');
      await page.getByLabel('Default commission rate').fill('101');
      await page.getByRole('button', { name: 'Create program' }).click();
      await page.getByText('Must be at most 100').waitFor();
    },
  },
  { name: 'notFound', open: (page) => page.goto(`/programs/${randomUUID()}`) },
];

/** What is looked at: the main pages, and every page where the environment variable `SCREENSHOTS` asks for it. */
export const sights = allSights.filter(({ name }) => process.env.SCREENSHOTS || mainPages.includes(name));

const desk = { width: 1280, height: 800 };
const telephone = { width: 390, height: 844 };
const folder = fileURLToPath(new URL('../../.local/screenshots/', import.meta.url));

/** The script by which pages are checked: a window that looks at pages has it run before each of them. */
export const axeFile = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** The page whose picture is taken dark, too. */
const inBoth = 'showApiKeys';

/** Takes a picture of a whole page, to be looked at by people, where the environment variable `SCREENSHOTS` asks for it. */
const takePicture = async (page: Page, name: string): Promise<void> => {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${folder}${name}.png`, fullPage: true });
};

/** What axe finds wrong with a page, by one rule or by all, as `rule: element`. */
export const violationsOf = async (page: Page, rule?: string): Promise<string[]> => {
  const { violations } = await page.evaluate((only) => {
    const { axe: inThePage } = globalThis as unknown as { axe: typeof axe };
    return inThePage.run({ resultTypes: ['violations'], preload: false, ...(only && { runOnly: [only] }) });
  }, rule);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

/** The elements that reach over an edge of the window; what is in a table scrolls inside it. */
export const overTheEdge = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const over = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return (
        (left < 0 && right > 0) || (scrollWidth > clientWidth && right > clientWidth && !element.closest('.table'))
      );
    });
    const found = over.map(({ outerHTML }) => outerHTML.slice(0, 120));
    return scrollWidth > clientWidth ? ['the page is too wide', ...found] : found;
  });

/** What everything is called in the world that is looked at. */
export const shortName = 'Northern Lights';

/** Gives everything a name of the most letters there are, without a place to break a line. */
const lengthenNames = (page: Page): Promise<void> =>
  page.evaluate((name) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      text.nodeValue = text.nodeValue?.replaceAll(name, 'W'.repeat(200)) ?? null;
  }, shortName);

/** How many there are on a page of what each page has once. */
const landmarksOf = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(() => {
    const countOf = (name: string) => [name, document.querySelectorAll(name).length];
    return Object.fromEntries(['h1', 'header', 'main'].map(countOf));
  });

/** Looks at the page that is shown, light and dark, on a desk and on a telephone, and takes pictures of it. */
export const lookAt = async (page: Page, name: string) => {
  await page.setViewportSize(desk);
  const violations = await violationsOf(page);
  await takePicture(page, `${name}-1280`);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inTheDark = await violationsOf(page, 'color-contrast');
  if (name === inBoth) await takePicture(page, `${name}-1280-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(telephone);
  const overTheTelephone = await overTheEdge(page);
  await takePicture(page, `${name}-390`);
  await lengthenNames(page);
  const withLongNames = await overTheEdge(page);
  return { violations, inTheDark, overTheTelephone, withLongNames, landmarks: await landmarksOf(page) };
};
