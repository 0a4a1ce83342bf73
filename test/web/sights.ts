import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { illegibleButtons } from './button-contrast.ts';
import { documents, isForSignedOut, requestOf } from './every-page.ts';
import type { WebWorld } from './web-world.ts';

/** What a browser can show of the application: each page, and what a page looks like after something went wrong. */
export interface Sight {
  name: string;
  open: (page: Page, world: WebWorld) => Promise<unknown>;
}

const shownOnes: readonly Sight[] = documents
  .filter((page) => !isForSignedOut(page) && page.id !== 'confirmPortalSignIn')
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

const askedToEnter = async (page: Page, { handle, portalToken }: WebWorld): Promise<void> => {
  await page.goto(`/portal/${handle}/sign-in?token=${portalToken}`);
};

/** The main pages, one of each kind, which are looked at more closely. */
const mainPages = [
  'showStart',
  'showPrograms',
  'showProgram',
  'showApiKeys',
  'showAffiliates',
  'showAffiliate',
  'showSales',
  'showPayoutBatches',
  'showWebhook',
  'showWebhookChange',
  'showDelivery',
  'showStatement',
  'chooseProgram',
  'showPortalSignIn',
  'showPortalOverview',
  'showPortalLinks',
  'refusedForm',
  'notFound',
];

/** Every page. */
export const sights: readonly Sight[] = [
  { name: 'showStart', open: (page) => signedOut(page, '/') },
  { name: 'showPortalSignIn', open: (page, { handle }) => signedOut(page, `/portal/${handle}`) },
  { name: 'confirmPortalSignIn', open: askedToEnter },
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
  {
    name: 'accentColor',
    open: async (page, { programId }) => {
      await page.goto(`/programs/${programId}/settings`);
      await page.getByLabel('Accent color').fill('#ffe600');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.goto(`/programs/${programId}`);
    },
  },
];

const desk = { width: 1280, height: 800 };
const telephone = { width: 390, height: 844 };
const folder = fileURLToPath(new URL('../../.local/screenshots/', import.meta.url));

/** The script by which pages are checked: a window that looks at pages has it run before each of them. */
export const axeFile = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** Takes a picture of a whole page, to be looked at by people, where the environment variable `SCREENSHOTS` asks for it. */
export const takePicture = async (page: Page, name: string): Promise<void> => {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${folder}${name}.png`, fullPage: true });
};

/** What axe finds wrong with a page or a part of it, by some rules or by all, as `rule: element`. */
const violationsOf = async (
  page: Page,
  { rules, within = 'html' }: { rules?: readonly string[] | undefined; within?: 'html' | 'main' } = {},
): Promise<string[]> => {
  const { violations } = await page.evaluate(
    ([only, context]) => {
      const { axe: inThePage } = globalThis as unknown as { axe: typeof axe };
      return inThePage.run(context, {
        resultTypes: ['violations'],
        // A frame is sandboxed: axe cannot ask it, and test/mails/looks.browser.test.ts looks at what is in it.
        iframes: false,
        preload: false,
        ...(only && { runOnly: [...only] }),
      });
    },
    [rules, within] as const,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

/** The elements that reach over an edge of the window; what is in a table scrolls inside it. */
const overTheEdge = (page: Page): Promise<string[]> =>
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

/** The rules that depend on colors, and those that depend on the width. Others are about the document. */
const colorRules = ['color-contrast', 'link-in-text-block'];
const widthRules = ['target-size', 'scrollable-region-focusable'];

/** What is illegible or does not fit in the look that the page has. */
export const problemsOfLook = async (page: Page): Promise<string[]> => [
  ...(await violationsOf(page, { rules: colorRules })),
  ...(await overTheEdge(page)),
];

type Rules = readonly string[] | undefined;

/** In the order that changes the window least. All rules are checked once, and of the main pages at both widths. */
const looks = (
  isMain: boolean,
): readonly (readonly [size: '1280' | '390', scheme: 'light' | 'dark', rules: Rules])[] => [
  ['1280', 'light', undefined],
  ['1280', 'dark', colorRules],
  ['390', 'dark', colorRules],
  ['390', 'light', isMain ? undefined : [...colorRules, ...widthRules]],
];

/** What is wrong with the page that is open in each look; `drawn` waits until the page has taken the look. */
export const violationsInEveryLook = async (page: Page, drawn?: (scheme: string) => Promise<unknown>) => {
  const found: string[] = [];
  for (const [size, colorScheme, rules] of looks(false)) {
    await page.setViewportSize(size === '390' ? telephone : desk);
    await page.emulateMedia({ colorScheme });
    await drawn?.(colorScheme);
    const all = [...(await violationsOf(page, { rules })), ...(await overTheEdge(page))];
    found.push(...all.map((one) => `${size} ${colorScheme} ${one}`));
  }
  return found;
};

/** Checks the page that is open, at desktop and phone width, light and dark. On pages other than the main ones, the frame is checked once. */
export const lookAt = async (page: Page, name: string) => {
  const isMain = mainPages.includes(name);
  const [violations, tooWide, buttons]: string[][] = [[], [], []];
  for (const [size, colorScheme, rules] of looks(isMain)) {
    await page.setViewportSize(size === '390' ? telephone : desk);
    await page.emulateMedia({ colorScheme });
    const within = isMain || rules === undefined ? 'html' : 'main';
    const found = await violationsOf(page, { rules, within });
    violations?.push(...found.map((one) => `${size} ${colorScheme} ${one}`));
    await takePicture(page, `${name}-${size}-${colorScheme}`);
    if (size === '1280') buttons?.push(...(await illegibleButtons(page)).map((one) => `${colorScheme} ${one}`));
    if (colorScheme === 'light') tooWide?.push(...(await overTheEdge(page)));
  }
  const landmarks = await landmarksOf(page);
  await lengthenNames(page);
  return { violations, tooWide, buttons, withLongNames: await overTheEdge(page), landmarks };
};
