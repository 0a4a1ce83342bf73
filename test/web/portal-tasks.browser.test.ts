import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { updatePortal } from '../../shared/domain/programs/update-portal.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { appUrl } from '../support/browser.ts';
import { pathOfPortal } from '../support/portal.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { prepareProgram, walkThroughPortal } from './affiliate-steps.ts';
import { noChromium } from './chromium.ts';
import { startFakePlatform } from './fake-platform.ts';
import { axeFile, violationsInEveryLook } from './sights.ts';
import { executablePath, launchChromium, press, waitForHeading } from './window.ts';

// What an affiliate does in the portal, as they do it.

let browser: Browser;
beforeAll(async () => {
  const launched = await launchChromium();
  if (launched) browser = launched;
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const linkFor = async (api: Api, affiliateId: string): Promise<string> =>
  (await api.post('/portal-links', { affiliateId })).body.url;

const openWindow = async (options: BrowserContextOptions): Promise<Page> =>
  (await browser.newContext({ baseURL: appUrl(), reducedMotion: 'reduce', ...options })).newPage();

/** On a phone with scripts: test/web/apply.browser.test.ts, from the application on. */
const ways = [
  { name: 'on a phone, without scripts', hasScripts: false, viewport: { width: 390, height: 844 } },
  { name: 'at a desk, without scripts', hasScripts: false, viewport: { width: 1280, height: 800 } },
  { name: 'at a desk, with scripts', hasScripts: true, viewport: { width: 1280, height: 800 } },
] as const;

describe.each(ways)('$name', ({ hasScripts, viewport }) => {
  it('an affiliate signs in, shares a link and a code, sees sales on hold and paid, prints a statement, and signs out', async () => {
    const api = await makeProgram({ baseUrls: ['https://shop.example/'] });
    const affiliate = await makeAffiliate(api);
    await prepareProgram(api);
    const permissions = hasScripts ? ['clipboard-read', 'clipboard-write'] : [];
    const page = await openWindow({ javaScriptEnabled: hasScripts, viewport, permissions });
    await page.goto(await linkFor(api, affiliate.id));
    await waitForHeading(page, 'Welcome, Amara');
    await press(page, 'Sign in');
    await waitForHeading(page, 'Overview');
    await walkThroughPortal({ page, api, affiliate, hasScripts });
    await page.context().close();
  });
});

describe('in a frame of another site', () => {
  it('the portal signs in by itself on a listed origin, and keeps its session there; elsewhere it is refused', async () => {
    const [listed, other] = await Promise.all([startFakePlatform(), startFakePlatform()]);
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    await updatePortal(
      api.programId,
      { portalIsOn: true, logoUrl: null, embeddingOrigins: [listed.origin] },
      new Date(),
    );
    const page = await openWindow({ viewport: { width: 1280, height: 900 } });
    const show = async (at: typeof listed, address: string) => {
      at.show('/shop', `<iframe width="1000" height="800" src="${address.replaceAll('&', '&amp;')}"></iframe>`);
      await page.goto(`${at.origin}/shop`);
      return page.frameLocator('iframe');
    };
    await show(other, await linkFor(api, affiliate.id));
    expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/);

    const frame = await show(listed, await linkFor(api, affiliate.id));
    await frame.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await frame.getByRole('banner').count()).toBe(0);
    await frame.getByRole('link', { name: 'Profile', exact: true }).click();
    await frame.getByLabel('First name').fill('Framed');
    await frame.getByRole('button', { name: 'Save' }).click();
    await frame.getByText('Saved.').waitFor();
    expect((await api.get(`/affiliates/${affiliate.id}`)).body.firstName).toBe('Framed');
    // The session in the frame is none of the portal itself.
    await page.goto(`${await pathOfPortal(api.programId)}/overview`);
    await waitForHeading(page, 'Sign in');
    await page.context().close();
    for (const platform of [listed, other]) platform.stop();
  });
});

it('an affiliate of two programs is signed in to both', async () => {
  const apis = [await makeProgram(), await makeProgram()];
  const page = await openWindow({});
  for (const api of apis) {
    await page.goto(await linkFor(api, (await makeAffiliate(api)).id));
    await press(page, 'Sign in');
    await waitForHeading(page, 'Overview');
  }
  for (const { programId } of apis) {
    await page.goto(`${await pathOfPortal(programId)}/overview`);
    await waitForHeading(page, 'Overview');
  }
  await page.context().close();
});

it('the portal in the color of a program is legible, light and dark, on a phone too', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const { name, currency, commissionRate, baseUrls, allowSelfReferral } = await getProgram(api.programId);
  const edit = { name, currency, commissionRate, baseUrls, allowSelfReferral, accentColor: '#ffe600' };
  await updateProgram(api.programId, edit, new Date());
  const page = await openWindow({});
  await page.addInitScript({ path: axeFile });
  await page.goto(await linkFor(api, affiliate.id));
  await press(page, 'Sign in');
  await waitForHeading(page, 'Overview');
  expect(await page.locator('link[href$="/ffe600"]').count()).toBe(1);
  expect(await violationsInEveryLook(page)).toEqual([]);
  await page.context().close();
});
