import { describe, expect, it } from 'vitest';
import { bounds } from '../../shared/contract/bounds.ts';
import { getAccount } from '../../shared/domain/programs/accounts.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { appUrl, type Browser, fillInSignIn, freshEmail, openBrowser, signedIn } from '../support/browser.ts';
import { rawRequest } from '../support/raw-request.ts';
import '../support/program.ts';
import { isSignedIn, ourCookies, programsPage } from './our-cookies.ts';

describe('signing in', () => {
  it('leads by the identity provider to the programs, and makes an account on the free plan', async () => {
    const browser = openBrowser();
    const email = freshEmail();
    const asked = await browser.follow('/sign-in');
    expect(asked.url.origin).not.toBe(appUrl());
    const arrived = await fillInSignIn(browser, asked, ` ${email.toUpperCase()} `);
    expect(arrived.url.href).toBe(programsPage());
    expect(arrived.text).toContain(email);
    expect(await getAccount(email)).toEqual({ email, plan: 'FREE' });
  });

  it('finds the programs that the operator made for the address before', async () => {
    const email = freshEmail();
    await createProgram({ name: 'Made before', ownerEmail: email }, new Date());
    const { text } = await (await signedIn(email)).visit('/programs');
    expect(text).toContain('Made before');
    expect((await getAccount(email))?.plan).toBe('BUSINESS');
  });

  it('comes back to the page that was wanted', async () => {
    const browser = openBrowser();
    const arrived = await fillInSignIn(browser, await browser.follow('/programs/new?from=a%20mail'), freshEmail());
    expect(arrived.url.href).toBe(`${appUrl()}/programs/new?from=a%20mail`);
  });

  it.each([3, 8, bounds.signInsOfBrowser])(
    'of %i tabs at once comes back to the page of each, with cookies of less than 2 KB',
    async (count) => {
      const browser = openBrowser();
      // As long as a page that is come back to may be: the authorization page with the state of a platform.
      const pageOf = (tab: number) => `/programs/new?tab=${tab}&state=${'x'.repeat(2500)}`;
      const tabs = Array.from({ length: count }, (_, at) => at);
      const providers = await Promise.all(
        tabs.map(async (tab) => {
          const asked = await browser.visit(pageOf(tab));
          return (await browser.visit(asked.location ?? '')).location ?? '';
        }),
      );
      const cookieBytes = () => [...ourCookies(browser)].map(([name, value]) => `${name}=${value}`).join('; ').length;
      expect(cookieBytes()).toBeLessThan(count * 70);
      const arrived = await fillInSignIn(browser, await browser.follow(providers[0] ?? ''), freshEmail());
      expect(arrived.url.searchParams.get('tab')).toBe('0');
      for (const tab of tabs.slice(1))
        expect((await browser.follow(providers[tab] ?? '')).url.searchParams.get('tab')).toBe(String(tab));
      expect(cookieBytes()).toBeLessThan(2000);
    },
  );

  it('of more tabs than a browser may have under way forgets the oldest, and no other', async () => {
    const browser = openBrowser();
    const providers: (URL | undefined)[] = [];
    for (let tab = 0; tab <= bounds.signInsOfBrowser; tab++) providers.push((await browser.visit('/sign-in')).location);
    expect(ourCookies(browser).size).toBe(bounds.signInsOfBrowser);
    const arrived = await fillInSignIn(browser, await browser.follow(providers[1] ?? ''), freshEmail());
    expect(arrived.url.href).toBe(programsPage());
    expect((await browser.follow(providers[0] ?? '')).status).toBe(400);
  });

  it('leads nowhere else, whatever the address or a cookie says', async () => {
    for (const path of [
      '//evil.example/',
      '/%2Fevil.example',
      '/sign-in?returnTo=https://evil.example/',
      '/sign-in?returnTo=/programs/new',
    ]) {
      const browser = openBrowser();
      await browser.visit(`${appUrl()}${path}`);
      const arrived = await fillInSignIn(browser, await browser.follow('/sign-in'), freshEmail());
      expect(arrived.url.href).toBe(programsPage());
    }
  });

  it('leads the provider back to the deployed address, whatever host a request names', async () => {
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const { headers } = await rawRequest('GET', `${appUrl()}/sign-in`, { headers: forged });
    const { searchParams } = new URL(headers.get('location') ?? '');
    expect(searchParams.get('redirect_uri')).toBe(`${appUrl()}/sign-in/callback`);
  });

  it('is refused for an address that is not verified, and makes no account', async () => {
    const browser = openBrowser();
    const email = freshEmail();
    const ended = await fillInSignIn(browser, await browser.follow('/sign-in'), email, { unverified: 'on' });
    expect(ended.status).toBe(403);
    expect(ended.text).toContain('not verified');
    expect(await isSignedIn(browser)).toBe(false);
    expect(await getAccount(email)).toBeUndefined();
    // Again means as somebody else, too: the provider still has the one who was refused.
    expect(ended.text).toContain('href="/sign-in?prompt=login"');
    expect((await browser.follow('/sign-in?prompt=login')).text).toContain('name="password"');
  });

  it('is refused with a wrong password', async () => {
    const browser = openBrowser();
    const asked = await browser.follow('/sign-in');
    const refused = await browser.post(asked.url, { email: freshEmail(), password: 'wrong' });
    expect([refused.status, refused.location]).toEqual([400, undefined]);
  });

  /** The address that the provider sends the browser back to, not yet visited. */
  const callbackOf = async (browser: Browser): Promise<URL> => {
    const asked = await browser.follow('/sign-in');
    let { location } = await fillInOnly(browser, asked.url);
    while (location && location.origin !== appUrl()) location = (await browser.visit(location)).location;
    if (!location) throw new Error('The provider did not send the browser back');
    return location;
  };
  const fillInOnly = async (browser: Browser, url: URL) => {
    const { inject } = await import('vitest');
    return browser.post(url, { email: freshEmail(), password: inject('password') });
  };

  it('is refused when the state is another one, when the code is, and in another browser', async () => {
    const tampered: ((address: URL) => void)[] = [
      ({ searchParams }) => searchParams.set('state', 'another'),
      ({ searchParams }) => searchParams.delete('state'),
      ({ searchParams }) => searchParams.set('code', 'another'),
      ({ searchParams }) => searchParams.delete('code'),
      ({ searchParams }) => searchParams.set('iss', 'https://evil.example'),
      ({ searchParams }) => searchParams.set('error', 'access_denied'),
    ];
    for (const tamper of tampered) {
      const browser = openBrowser();
      const callback = await callbackOf(browser);
      tamper(callback);
      const ended = await browser.visit(callback);
      expect([ended.status, ended.location], callback.search).toEqual([400, undefined]);
      expect(await isSignedIn(browser)).toBe(false);
    }
    const victim = openBrowser();
    expect((await victim.visit(await callbackOf(openBrowser()))).status).toBe(400);
    expect(await isSignedIn(victim)).toBe(false);
  });

  it('by one code works once', async () => {
    const browser = openBrowser();
    const callback = await callbackOf(browser);
    const remembered = new Map(ourCookies(browser));
    expect((await browser.visit(callback)).location?.href).toBe(programsPage());
    const again = openBrowser();
    again.cookies.set(new URL(appUrl()).hostname, remembered);
    expect((await again.visit(callback)).status).toBe(400);
    expect(await isSignedIn(again)).toBe(false);
  });
});
