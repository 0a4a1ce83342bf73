import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { updateApplicationForm } from '../../shared/domain/programs/update-application-form.ts';
import { appUrl, freshEmail, signedIn } from '../support/browser.ts';
import { addressIn, nextMailTo } from '../support/mails.ts';
import { pathOfPortal } from '../support/portal.ts';
import { type Api, makeProgram } from '../support/program.ts';
import { prepareProgram, walkThroughPortal } from './affiliate-steps.ts';
import { noChromium } from './chromium.ts';
import { axeFile, violationsInEveryLook } from './sights.ts';
import { executablePath, follow, launchChromium, press, waitForHeading } from './window.ts';

// Somebody applies on a phone, a manager approves at a desk, and the mail leads into the portal: all that an affiliate does.

let browser: Browser;
beforeAll(async () => {
  const launched = await launchChromium();
  if (launched) browser = launched;
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 800 };

const openWindow = async (viewport: typeof phone, options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext({ baseURL: appUrl(), reducedMotion: 'reduce', viewport, ...options });
  const page = await context.newPage();
  await page.addInitScript({ path: axeFile });
  return page;
};

/** In each look, and as it was again. */
const lookAt = async (page: Page, name: string): Promise<void> => {
  const viewport = page.viewportSize() ?? phone;
  expect(await violationsInEveryLook(page), name).toEqual([]);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: null });
};

const openProgram = async () => {
  const api = await makeProgram({ name: 'Tulip Shop', baseUrls: ['https://shop.example/'] });
  const questions = [
    { question: 'Where do you write?', choices: [], isRequired: true },
    { question: 'How many readers do you have?', choices: ['Fewer than 1,000', 'More'], isRequired: false },
  ];
  const terms = 'Say that you earn a commission.\nDo not buy advertisements for our name.';
  await updateApplicationForm(api.programId, { isOpen: true, questions, terms }, new Date());
  return { api, path: await pathOfPortal(api.programId) };
};

/** Playwright finds no text in it. */
const noteOfScripts = (page: Page) => page.locator('main noscript p');

const apply = async (page: Page, email: string): Promise<void> => {
  await follow(page, 'Apply');
  await waitForHeading(page, 'Apply');
  expect(await noteOfScripts(page).count()).toBe(0);
  await lookAt(page, 'the form');
  await page.getByLabel('First name').fill('Priya');
  await page.getByLabel('Email').fill('priya at example.com');
  await page.getByLabel('Where do you write?').fill('On my blog');
  await page.getByLabel('How many readers do you have?').selectOption('More');
  await page.getByLabel('I accept these terms').check();
  await press(page, 'Send application');
  await page.getByText('Must be an email address').waitFor();
  expect(await page.getByLabel('Where do you write?').inputValue()).toBe('On my blog');
  await lookAt(page, 'the form that was refused');
  await page.getByLabel('Email').fill(email);
  // Sooner it is too fast for a person.
  await page.waitForTimeout(3000);
  await press(page, 'Send application');
  await waitForHeading(page, 'Your application was sent');
  await lookAt(page, 'what follows');
};

const approve = async ({ programId, ownerEmail }: Api): Promise<void> => {
  const manager = await openWindow(desk);
  const [session] = [...((await signedIn(ownerEmail)).cookies.get(new URL(appUrl()).hostname) ?? [])];
  await manager.context().addCookies([{ name: session?.[0] ?? '', value: session?.[1] ?? '', url: appUrl() }]);
  await manager.goto(`/programs/${programId}`);
  await manager.getByText('1 application to decide').click();
  await waitForHeading(manager, 'Applications');
  await manager.getByText('On my blog').waitFor();
  await lookAt(manager, 'the applications');
  await follow(manager, 'Decline');
  await waitForHeading(manager, 'Decline Priya?');
  await lookAt(manager, 'declining');
  await follow(manager, 'Cancel');
  await press(manager, 'Approve Priya');
  await manager.getByText('The application was approved').waitFor();
  await manager.goto(`/programs/${programId}/settings/portal/application`);
  await lookAt(manager, 'the settings of the form');
  await manager.context().close();
};

/** Each page is looked at in four looks, which takes a busy machine more than a minute. */
it('somebody applies on a phone, is approved at a desk, signs in by the mail, earns, is paid, and signs out', async () => {
  const { api, path } = await openProgram();
  await prepareProgram(api);
  const email = freshEmail();
  const page = await openWindow(phone, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(path);
  await apply(page, email);
  expect((await nextMailTo(email)).subject).toBe('We have received your application to Tulip Shop');
  await approve(api);
  const welcome = await nextMailTo(email, 2);
  expect(welcome.subject).toBe('Welcome to Tulip Shop');
  await page.goto(addressIn(welcome, path));
  await lookAt(page, 'signing in');
  await page.getByLabel('Email').fill(email);
  await press(page, 'Send me a link');
  await waitForHeading(page, 'Check your mail');
  await lookAt(page, 'the link was sent');
  await page.goto(addressIn(await nextMailTo(email, 3), `${path}/sign-in`));
  await lookAt(page, 'the link');
  await press(page, 'Sign in');
  await waitForHeading(page, 'Overview');
  expect(await page.getByText('Your participation is not active').count()).toBe(0);
  const [affiliate] = (await api.get(`/affiliates?status=ACTIVE`)).body;
  const look = (name: string) => lookAt(page, name);
  await walkThroughPortal({ page, api, affiliate, hasScripts: true, look });
  await page.context().close();
}, 180_000);

it('without scripts the form says that it needs them, and what is sent all the same is refused', async () => {
  const { path } = await openProgram();
  const page = await openWindow(desk, { javaScriptEnabled: false });
  await page.goto(`${path}/apply`);
  const note = noteOfScripts(page);
  expect([await note.isVisible(), await note.textContent()]).toEqual([
    true,
    expect.stringContaining('needs JavaScript'),
  ]);
  await page.getByLabel('First name').fill('Priya');
  await page.getByLabel('Email').fill(freshEmail());
  await page.getByLabel('Where do you write?').fill('On my blog');
  await page.getByLabel('I accept these terms').check();
  await page.waitForTimeout(3000);
  await press(page, 'Send application');
  await page.getByText('could not show that you are a person').waitFor();
  expect(await note.isVisible()).toBe(true);
  expect(await page.getByLabel('Where do you write?').inputValue()).toBe('On my blog');
  await page.context().close();
});

it('the work of the form takes a slow phone some seconds at most', async () => {
  const { path } = await openProgram();
  const page = await openWindow(phone);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await page.goto(`${path}/apply`);
  const start = performance.now();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[name="proof"]')?.value);
  expect(performance.now() - start).toBeLessThan(15_000);
  await page.context().close();
});
