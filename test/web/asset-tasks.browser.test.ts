import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appUrl, signedIn } from '../support/browser.ts';
import { imageFiles, svg, usualImage } from '../support/image-files.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';
import { noChromium } from './chromium.ts';
import { startFakePlatform } from './fake-platform.ts';
import { axeFile, violationsInEveryLook } from './sights.ts';
import { executablePath, follow, launchChromium, openSignedIn, press, waitForHeading } from './window.ts';

// Assets in a real browser, which enforces where forms may lead and what other sites may show.

let browser: Browser;
beforeAll(async () => {
  const launched = await launchChromium();
  if (launched) browser = launched;
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const ways = [
  { name: 'on a phone, without scripts', options: { javaScriptEnabled: false, viewport: { width: 390, height: 844 } } },
  {
    name: 'at a desk, with scripts',
    options: { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] },
  },
] satisfies { name: string; options: BrowserContextOptions }[];

describe.each(ways)('$name', ({ options }) => {
  it('a member uploads a banner and writes a text, and an affiliate puts them on a site with their own link', async () => {
    const api = await makeProgram({ baseUrls: ['https://shop.example/'] });
    const affiliate = await makeAffiliate(api);
    const link = `amara-${randomUUID().slice(0, 8)}`;
    await api.post('/links', { affiliateId: affiliate.id, link });
    const page = await openSignedIn(browser, await signedIn(api.ownerEmail), options);
    await page.goto(`/programs/${api.programId}/assets`);
    await page.getByText('Give affiliates something to use').waitFor();
    const upload = async (buffer: Buffer, name: string) => {
      await page.getByLabel('Image', { exact: true }).setInputFiles({ name, mimeType: 'image/png', buffer });
      await press(page, 'Upload');
    };
    await follow(page, 'New image');
    await upload(svg, 'logo.png');
    await page.getByText('The file is not a PNG, JPEG, GIF or WebP image').waitFor();
    await upload(usualImage, 'banner.png');
    await page.getByText('PNG, 300 × 250 pixels').waitFor();
    const preview = page.getByRole('img', { name: 'The uploaded image' });
    expect(await preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300);
    await page.getByLabel('Title').fill('Spring & summer "banner"');
    await press(page, 'Add image');
    await page.getByText('The asset was added.').waitFor();
    await follow(page, 'New text');
    await page.getByLabel('Title').fill('Post');
    await page.getByLabel('Text', { exact: true }).fill('Spring is here:\n{link}');
    await press(page, 'Add text');
    await page.getByText('The asset was added.').waitFor();

    const { url } = (await api.post('/portal-links', { affiliateId: affiliate.id })).body;
    await page.goto(url);
    await press(page, 'Sign in');
    await waitForHeading(page, 'Overview');
    await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Assets' }).click();
    await page.getByLabel('Your link in texts and banners').selectOption(link);
    await press(page, 'Use this link');
    await page
      .getByText(`Spring is here:`)
      .filter({ hasText: `/${link}` })
      .waitFor();
    const html = (await page.locator('.whole-text', { hasText: '<a href=' }).textContent()) ?? '';
    if (options.javaScriptEnabled !== false) {
      await page.getByRole('button', { name: 'Copy the banner Spring & summer "banner"' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(html);
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download Spring & summer "banner"' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Spring-summer-banner-.png');

    const site = await startFakePlatform();
    site.show('/blog', html);
    await page.goto(`${site.origin}/blog`);
    const banner = page.getByRole('img', { name: 'Spring & summer "banner"' });
    await expect.poll(() => banner.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300);
    const { pathname, origin } = new URL((await page.getByRole('link').getAttribute('href')) ?? '');
    expect([origin, pathname.split('/').at(-1)]).toEqual([appUrl(), link]);
    site.stop();
    await page.context().close();
  });
});

it('an image that is visited by itself is shown, and nothing in it runs', async () => {
  const api = await makeProgram();
  const page = await openSignedIn(browser, await signedIn(api.ownerEmail));
  // A GIF to browsers, and a script to who takes it for one.
  const polyglot = Buffer.concat([
    imageFiles.GIF,
    Buffer.from('*/=1;document.title="run"//<script>document.title="run"</script>'),
  ]);
  await page.goto(`/programs/${api.programId}/assets/new-image`);
  await page
    .getByLabel('Image', { exact: true })
    .setInputFiles({ name: 'a.html', mimeType: 'text/html', buffer: polyglot });
  await press(page, 'Upload');
  await page.getByLabel('Title').fill('Two faces');
  await press(page, 'Add image');
  const address = (await page.getByRole('img', { name: 'Two faces' }).getAttribute('src')) ?? '';
  const response = await page.goto(address);
  expect(await response?.headerValue('content-type')).toBe('image/gif');
  expect(await page.title()).not.toBe('run');
  expect(await page.locator('script').count()).toBe(0);
  const site = await startFakePlatform();
  site.show('/shop', `<script src="${address}"></script>`);
  await page.goto(`${site.origin}/shop`);
  expect(await page.title()).not.toBe('run');
  site.stop();
  await page.context().close();
});

it('the pages of assets are legible with wide and high images, light and dark, on a phone too', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const page = await openSignedIn(browser, await signedIn(api.ownerEmail));
  await page.addInitScript({ path: axeFile });
  await page.goto(`/programs/${api.programId}/assets/new-image`);
  await page
    .getByLabel('Image', { exact: true })
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: usualImage });
  await press(page, 'Upload');
  await page.getByLabel('Title').waitFor();
  expect(await violationsInEveryLook(page)).toEqual([]);
  await page.getByLabel('Title').fill('W'.repeat(100));
  await press(page, 'Add image');
  await page.getByText('The asset was added.').waitFor();
  expect(await violationsInEveryLook(page)).toEqual([]);
  await page.goto((await api.post('/portal-links', { affiliateId: affiliate.id })).body.url);
  await press(page, 'Sign in');
  await waitForHeading(page, 'Overview');
  await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Assets' }).click();
  await waitForHeading(page, 'Assets');
  expect(await violationsInEveryLook(page)).toEqual([]);
  await page.context().close();
});
