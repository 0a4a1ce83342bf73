import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { setPlan } from '../../shared/domain/programs/programs.ts';
import { exchange, platformWith } from '../connector/platform.ts';
import { appUrl, freshEmail } from '../support/browser.ts';
import { apiWith, makeAffiliate } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';
import { noChromium } from './chromium.ts';
import { type FakePlatform, startFakePlatform } from './fake-platform.ts';
import { axeFile, lookAt, type Sight, shortName, sights } from './sights.ts';
import { makeWebWorld, type WebWorld } from './web-world.ts';
import { executablePath, follow, launchChromium, openSignedIn, press, waitForHeading } from './window.ts';

/** A real browser, for what only one enforces: cookies between sites, the content security policy, layout and contrast. */

let browser: Browser;
let platform: FakePlatform;
let receiver: ScriptedReceiver;
beforeAll(async () => {
  const launched = await launchChromium();
  if (!launched) return;
  browser = launched;
  [platform, receiver] = await Promise.all([startFakePlatform(), startScriptedReceiver()]);
});
afterAll(async () => {
  receiver?.stop();
  platform?.stop();
  await browser?.close();
});
beforeEach(({ skip }) => skip(!executablePath, noChromium));

/** A window of somebody who has not been here before, in which no script can run. */
const openWindow = async (): Promise<Page> => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: appUrl() });
  return context.newPage();
};

const signIn = async (page: Page, email: string): Promise<void> => {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Sign in' }).click();
};

const headingOf = (page: Page) => page.getByRole('heading', { level: 1 });

/** Creates a program, by its form, and returns its id. */
const makeProgram = async (page: Page, name: string): Promise<string> => {
  await follow(page, 'New program');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Currency').fill('EUR');
  await press(page, 'Create program');
  await waitForHeading(page, 'Overview');
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
};

/** Creates a key of the program that is shown, by its form, and returns it. */
const makeKey = async (page: Page, name: string): Promise<string> => {
  await follow(page, 'API keys');
  await page.getByLabel('Name').fill(name);
  await press(page, 'Create key');
  await waitForHeading(page, name);
  return (await page.locator('#apiKey').textContent()) ?? '';
};

describe.concurrent('without scripts', () => {
  it('a person signs in, makes a program and a key, copies the key, and deletes it, which ends it at once', async () => {
    const page = await openWindow();
    const email = freshEmail();
    await page.goto('/');
    await follow(page, 'Sign in');
    await signIn(page, email);
    await waitForHeading(page, 'Programs');
    expect(await page.getByText('FREE plan').isVisible()).toBe(true);

    const programId = await makeProgram(page, 'Shop “of” <ours>');
    const key = await makeKey(page, 'Server');
    const api = apiWith(key);
    expect((await api.get('/program')).status).toBe(403);
    await setPlan(email, 'BUSINESS');
    expect((await api.get('/program')).body).toMatchObject({
      id: programId,
      name: 'Shop “of” <ours>',
      currency: 'EUR',
    });

    await page.locator('#apiKey').click();
    await page.keyboard.press('Control+c');
    await follow(page, 'All keys');
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+v');
    expect(await page.getByLabel('Name').inputValue()).toBe(key);

    await follow(page, 'Delete Server');
    await waitForHeading(page, 'Delete Server?');
    expect((await api.get('/program')).status).toBe(200);
    await press(page, 'Delete key');
    await page.getByRole('link', { name: 'Delete Server' }).waitFor({ state: 'detached' });
    expect((await api.get('/program')).status).toBe(401);

    await press(page, `Account of ${email}`);
    await press(page, 'Sign out');
    await follow(page, 'Sign in');
    expect(await page.getByLabel('Password').isVisible()).toBe(true);
    await page.context().close();
  });

  it('a platform is connected, works with the code, gets webhooks, and has lost all of it once disconnected', async () => {
    const page = await openWindow();
    const email = freshEmail();
    const state = `${randomUUID()} ä/+&=`;
    const query = new URLSearchParams({ redirect_uri: platform.returnAddress, state });
    const authorization = `${appUrl()}/connect/automation/choose-affiliate-program?${query}`;
    platform.show('/apps', `<a href="${authorization.replaceAll('&', '&amp;')}">Connect</a>`);

    // Somebody who has an account with a program already, and comes from the platform's own site.
    await page.goto('/sign-in');
    await signIn(page, email);
    await setPlan(email, 'BUSINESS');
    const programId = await makeProgram(page, 'Connected shop');
    const owner = apiWith(await makeKey(page, 'Owner'));
    await page.goto(`${platform.origin}/apps`);
    await follow(page, 'Connect');
    await waitForHeading(page, 'Choose an affiliate program');
    await page.getByLabel('Connected shop').check();
    await press(page, `Connect to ${new URL(platform.origin).host}`);
    await waitForHeading(page, 'Thank you');
    const parameters = platform.returned.at(-1);
    expect(parameters?.get('state')).toBe(state);

    const { body } = await exchange(`code=${parameters?.get('code')}`);
    const connector = platformWith(body.access_token);
    expect((await connector.get('/test')).body).toMatchObject({
      program_id: programId,
      program_name: 'Connected shop',
    });
    const [ofPlatform, ofOwner] = [`/${randomUUID()}`, `/${randomUUID()}`];
    const eventTypes = ['affiliate.created'];
    expect((await connector.send('POST', '/webhooks', { url: receiver.url(ofPlatform), eventTypes })).status).toBe(200);
    expect((await owner.post('/webhooks', { url: receiver.url(ofOwner), eventTypes })).status).toBe(200);
    const affiliate = await makeAffiliate(owner);
    const [received] = await receiver.waitFor(ofPlatform, 1);
    expect(received?.event).toMatchObject({ type: 'affiliate.created', data: { id: affiliate.id } });

    await page.goto(`/programs/${programId}`);
    await follow(page, 'Connected apps');
    await page.getByText(new URL(platform.origin).host, { exact: true }).waitFor();
    await follow(page, 'Disconnect');
    await waitForHeading(page, 'Disconnect?');
    await press(page, 'Disconnect');
    await page.getByText('No app is connected yet').waitFor();
    expect((await connector.get('/test')).status).toBe(401);
    // The owner's own endpoint is told of the next affiliate, and the platform is not.
    await makeAffiliate(owner);
    await receiver.waitFor(ofOwner, 2);
    expect(receiver.at(ofPlatform)).toHaveLength(1);
    await page.context().close();
  });

  it('a form is filled in and sent by keyboard alone, and it shows where the keyboard is', async () => {
    const page = await openWindow();
    await page.goto('/programs/new');
    await signIn(page, freshEmail());
    await waitForHeading(page, 'New program');
    const focused = page.locator(':focus');
    await page.keyboard.press('Tab');
    expect(await focused.textContent()).toBe('Skip to the content');
    expect((await focused.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused.getAttribute('name')).toBe('name');
    expect(await focused.evaluate((element) => getComputedStyle(element).outlineWidth)).toBe('2px');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await waitForHeading(page, 'Overview');
    expect(await page.getByRole('link', { name: 'By keyboard: switch to another program' }).isVisible()).toBe(true);
    await page.context().close();
  });

  it('another site can neither frame a page nor send a form for who is signed in', async () => {
    const page = await openWindow();
    await page.goto('/sign-in');
    await signIn(page, freshEmail());
    await waitForHeading(page, 'Programs');
    platform.show(
      '/evil',
      `<iframe src="${appUrl()}/"></iframe><form method="post" action="${appUrl()}/programs/new">
      <input name="name" value="Forged"><input name="currency" value="EUR"><input name="commissionRate" value="1"><button>Send</button></form>`,
    );
    await page.goto(`${platform.origin}/evil`);
    const [, frame] = page.frames();
    expect(frame?.url()).toMatch(/^chrome-error:/);
    await press(page, 'Send');
    await waitForHeading(page, 'Your session has ended');
    await page.goto('/programs');
    expect(await headingOf(page).textContent()).toBe('Programs');
    expect(await page.getByText('Forged').count()).toBe(0);
    await page.context().close();
  });
});

describe('every page', () => {
  let world: WebWorld;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    if (!executablePath) return;
    world = await makeWebWorld(shortName);
    page = await openSignedIn(browser, world.browser, { reducedMotion: 'reduce', colorScheme: 'light' });
    await page.addInitScript({ path: axeFile });
    page.on('console', (message) => complaints.push(message.text()));
  });
  afterAll(() => page?.context().close());

  it.each(sights)('$name is accessible, light and dark, and fits a desk and a telephone', async (sight: Sight) => {
    complaints.length = 0;
    await sight.open(page, world);
    expect(await lookAt(page, sight.name)).toEqual({
      violations: [],
      tooWide: [],
      buttons: [],
      withLongNames: [],
      landmarks: { h1: 1, header: 1, main: 1 },
    });
    expect(complaints.filter((text) => !/status of 40\d/.test(text))).toEqual([]);
  });
});
