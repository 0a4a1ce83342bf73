import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getProgram, programs } from '../../shared/domain/programs/repository.ts';
import { createClickId } from '../../shared/domain/tracking/click-id.ts';
import { readClickId } from '../../shared/domain/tracking/read-click-id.ts';
import { updateAlone } from '../../shared/platform/table/transaction.ts';
import { appUrl } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { noChromium } from '../web/chromium.ts';
import { executablePath, launchChromium } from '../web/window.ts';
import { openShop, type Shop } from './shop.ts';

// docs/tracking.md, recipe by recipe, in a shop on another origin than the service.

let browser: Browser;
let shop: Shop;
let api: Api;
let handle: string;
let linkIds: Record<string, string>;
let attributes = '';
const scriptTag = () => `<script src="${appUrl()}/ref.js" data-program="${api.programId}" ${attributes}></script>`;

beforeAll(async () => {
  if (!executablePath) return;
  browser = (await launchChromium()) ?? browser;
  shop = await openShop(scriptTag);
  api = await makeProgram({ baseUrls: [shop.url] });
  handle = (await api.get('/program')).body.handle;
  const owners = await Promise.all(['amara', 'tom'].map((link) => makeAffiliate(api, { affiliateLink: link })));
  linkIds = Object.fromEntries(owners.map(({ affiliateLinks: [link] }) => [link.link, link.id]));
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
});
beforeEach(({ skip }) => skip(!executablePath, noChromium));

let context: BrowserContext;
let complaints: string[];
/** A visitor, and what the page tells the console. */
const newVisitor = async (prepare: (made: BrowserContext) => Promise<unknown> = async () => {}): Promise<Page> => {
  context = await browser.newContext({ baseURL: shop.url });
  await prepare(context);
  complaints = [];
  const page = await context.newPage();
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return page;
};
afterEach(async () => {
  await context?.close();
  attributes = '';
  shop.orders.length = 0;
});

const clickOn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string | undefined>((resolve) =>
        (window as never as { affiliate: { ready: (then: (click?: string) => void) => void } }).affiliate.ready(
          resolve,
        ),
      ),
  );
const linkOf = async (clickId: string | undefined): Promise<string | undefined> => {
  const click = clickId === undefined ? undefined : await readClickId(clickId);
  return Object.entries(linkIds).find(([, id]) => id === click?.linkId)?.[0];
};
const walk = async (page: Page, ...names: string[]): Promise<void> => {
  for (const name of names) await page.getByRole('link', { name }).click();
};
const buy = async (page: Page) => {
  await page.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('Thank you').waitFor();
  return shop.orders.at(-1);
};

/** Runs a function of docs/tracking.md on the page. */
const runRecipe = (page: Page, name: string) => {
  const blocks = [...readFileSync('docs/tracking.md', 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)];
  const [code] = blocks.flatMap(([, text = '']) => (text.includes(`const ${name} =`) ? [text] : []));
  return page.evaluate(`(() => { ${code} return ${name}(); })()`);
};

describe('a form', () => {
  it('has the click of a visitor who landed with ?ref= and walked three pages, and the sale is credited to the link', async () => {
    const page = await newVisitor();
    await page.goto('/?ref=amara');
    expect(await linkOf(await clickOn(page))).toBe('amara');
    await walk(page, 'One', 'Two', 'Checkout');
    const order = await buy(page);
    const sale = await api.post('/sales', { totalEarned: 40, clickId: order?.clickId, email: 'form@example.com' });
    expect(sale.body).toMatchObject({ affiliateLinkId: linkIds.amara, attribution: { via: 'CLICK' } });
    expect(complaints).toEqual([]);
  });

  it('has it after the redirect, whose click needs no request of the page', async () => {
    const page = await newVisitor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`${appUrl()}/r/${handle}/tom?to=/one`);
    expect(page.url()).toMatch(/\/one\?ref=tom&click=/);
    await walk(page, 'Two');
    expect(await linkOf((await buy(page))?.clickId)).toBe('tom');
    expect(requests).not.toContain('/track/clicks');
  });

  it('that was added later is filled when it is sent', async () => {
    const page = await newVisitor();
    await page.goto('/?via=amara');
    await clickOn(page);
    await page.evaluate(() => {
      const form = document.querySelector('form');
      document.body.append(form?.cloneNode(true) ?? '');
      form?.remove();
      for (const field of document.querySelectorAll<HTMLInputElement>('[data-affiliate]')) field.value = '';
    });
    expect(await linkOf((await buy(page))?.clickId)).toBe('amara');
  });

  it('is empty and works for a visitor without a link, and where the link is of nobody', async () => {
    for (const path of ['/', '/?ref=nobody', '/?ref=%3Cscript%3E']) {
      const page = await newVisitor();
      await page.goto(path);
      await clickOn(page);
      expect([path, (await buy(page))?.clickId]).toEqual([path, '']);
      expect(await context.cookies()).toEqual([]);
    }
  });
});

it('a single-page application gets the click, and sends it with fetch', async () => {
  shop.pages.set('/app', { html: `<!doctype html><title>App</title>${scriptTag()}<main></main>` });
  const page = await newVisitor();
  await page.goto('/app?ref=amara');
  await page.evaluate(() => history.pushState({}, '', '/app/cart'));
  await clickOn(page);
  await page.evaluate(() => {
    const { affiliate } = window as never as { affiliate: { click: () => string } };
    return fetch('/buy', { method: 'POST', body: JSON.stringify({ clickId: affiliate.click() }) });
  });
  expect(await linkOf(shop.orders.at(-1)?.clickId)).toBe('amara');
});

it('links to Stripe and buy buttons that ask for it have the click as client_reference_id', async () => {
  shop.pages.set('/stripe', {
    html: `<!doctype html><title>Stripe</title>${scriptTag()}
      <a data-affiliate href="https://buy.stripe.com/test_1?locale=de">Buy</a> <a href="https://buy.stripe.com/test_2">Other</a>
      <stripe-buy-button data-affiliate buy-button-id="b"></stripe-buy-button>`,
  });
  const page = await newVisitor();
  await page.goto('/stripe?ref=tom');
  const click = await clickOn(page);
  const hrefs = await page.locator('a').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  expect(hrefs).toEqual([
    `https://buy.stripe.com/test_1?locale=de&client_reference_id=${click}`,
    'https://buy.stripe.com/test_2',
  ]);
  expect(await page.locator('stripe-buy-button').getAttribute('client-reference-id')).toBe(click);
  expect(click?.length).toBeLessThanOrEqual(200);
});

it('nothing is stored and nothing is sent before the visitor agrees', async () => {
  attributes = 'data-consent="required"';
  const page = await newVisitor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.goto('/?ref=amara');
  await page.waitForTimeout(300);
  expect(await context.cookies()).toEqual([]);
  expect(requests).not.toContain('/track/clicks');
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  await page.evaluate(() => (window as never as { affiliate: { consent: () => void } }).affiliate.consent());
  expect(await linkOf(await clickOn(page))).toBe('amara');
  expect((await context.cookies()).map(({ name, domain, sameSite }) => [name, domain, sameSite])).toEqual([
    ['affiliate_click', '127.0.0.1', 'Lax'],
  ]);
});

it('buying with fetch and consent work before the script has loaded, and the script knows of the consent', async () => {
  attributes = 'data-consent="required" async';
  const loading = Promise.withResolvers<void>();
  const page = await newVisitor((made) =>
    made.route('**/ref.js', (route) => loading.promise.then(() => route.continue())),
  );
  await page.goto('/?ref=amara', { waitUntil: 'domcontentloaded' });
  await runRecipe(page, 'buy');
  expect(shop.orders.map(({ clickId }) => clickId)).toEqual(['']);
  await runRecipe(page, 'startTracking');
  loading.resolve();
  await page.waitForFunction('window.affiliate?.click()');
  await runRecipe(page, 'buy');
  expect(await linkOf(shop.orders.at(-1)?.clickId)).toBe('amara');
  expect(complaints).toEqual([]);
});

it('buying with fetch does not wait for consent', async () => {
  attributes = 'data-consent="required"';
  const page = await newVisitor();
  await page.goto('/?ref=tom');
  await runRecipe(page, 'buy');
  expect(shop.orders.map(({ clickId }) => clickId)).toEqual(['']);
  await runRecipe(page, 'startTracking');
  expect(await linkOf(await clickOn(page))).toBe('tom');
});

it('the page works under a Content Security Policy that names the service, and under one that does not', async () => {
  const html = `<!doctype html><title>CSP</title>${scriptTag()}<form action="/buy" method="post"><input name="clickId" data-affiliate><button>Buy</button></form>`;
  const policy = (extra: string) => `default-src 'self'; script-src 'self' ${extra}; connect-src 'self' ${extra}`;
  shop.pages.set('/allowed', { html, headers: { 'content-security-policy': policy(appUrl()) } });
  shop.pages.set('/refused', { html, headers: { 'content-security-policy': policy('') } });
  const page = await newVisitor();
  await page.goto('/allowed?ref=tom');
  expect(await linkOf(await clickOn(page))).toBe('tom');
  expect(complaints).toEqual([]);
  await page.goto('/refused?ref=tom');
  expect((await buy(page))?.clickId).toBe('');
});

it('where cookies are refused nothing breaks, and the click of the address works on its page', async () => {
  const page = await newVisitor((made) =>
    made.addInitScript(() => Object.defineProperty(document, 'cookie', { get: () => '', set: () => undefined })),
  );
  await page.goto(`${appUrl()}/r/${handle}/amara`);
  expect(await linkOf(await clickOn(page))).toBe('amara');
  expect(await linkOf((await buy(page))?.clickId)).toBe('amara');
  expect(complaints).toEqual([]);
});

it('where the script or the intake is blocked the page works as before', async () => {
  for (const blocked of ['**/ref.js', '**/track/clicks']) {
    const page = await newVisitor((made) => made.route(blocked, (route) => route.abort()));
    await page.goto('/?ref=amara');
    expect([blocked, (await buy(page))?.clickId]).toEqual([blocked, '']);
  }
});

it('data-clean takes what the link added out of the address, and leaves the rest', async () => {
  attributes = 'data-clean';
  const page = await newVisitor();
  await page.goto(`${appUrl()}/r/${handle}/amara?to=/one%3Fcolor=red%23top`);
  expect(await linkOf(await clickOn(page))).toBe('amara');
  expect(page.url()).toBe(`${shop.url}/one?color=red#top`);
});

it.each([
  ['FIRST_CLICK', 'amara'],
  ['LAST_CLICK', 'tom'],
] as const)('of two links that a visitor followed, %s keeps that of %s', async (attribution, kept) => {
  const program = await getProgram(api.programId);
  for (const write of programs.updateWrites(program.id, program, { ...program, attribution }, { isEdit: false }))
    await updateAlone(write);
  for (const open of [
    (page: Page, link: string) => page.goto(`/?ref=${link}`),
    (page: Page, link: string) => page.goto(`${appUrl()}/r/${handle}/${link}`),
  ]) {
    const page = await newVisitor();
    for (const link of ['amara', 'tom']) {
      await open(page, link);
      await clickOn(page);
    }
    await page.goto('/two');
    expect(await linkOf((await buy(page))?.clickId)).toBe(kept);
  }
});

it('a page that is loaded again with an earlier click in its address keeps the later one', async () => {
  const program = { ...(await getProgram(api.programId)), attribution: 'LAST_CLICK' as const };
  const earlier = await createClickId(program, linkIds.amara ?? '', new Date(Date.now() - 60_000));
  const page = await newVisitor();
  await page.goto(`/?ref=amara&click=${earlier}`);
  expect(await linkOf(await clickOn(page))).toBe('amara');
  await page.goto(`${appUrl()}/r/${handle}/tom`);
  await clickOn(page);
  await page.goto(`/?ref=amara&click=${earlier}`);
  expect(await linkOf(await clickOn(page))).toBe('tom');
  expect(await linkOf((await buy(page))?.clickId)).toBe('tom');
});
