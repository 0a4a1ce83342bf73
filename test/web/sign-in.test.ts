import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../shared/contract/bounds.ts';
import { findOrMakeAccount, getAccount } from '../../shared/domain/programs/accounts.ts';
import { endSession, isSessionEnded } from '../../shared/domain/programs/ended-sessions.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { appUrl, type Browser, fillInSignIn, freshEmail, openBrowser, signedIn } from '../support/browser.ts';
import { rawRequest } from '../support/raw-request.ts';
import '../support/program.ts';

const programsPage = () => `${appUrl()}/programs`;
const ourCookies = (browser: Browser) => browser.cookies.get(new URL(appUrl()).hostname) ?? new Map<string, string>();

/** Whether a browser sees the programs, or is asked to sign in. */
const isSignedIn = async (browser: Browser) => (await browser.visit('/programs')).status === 200;

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

describe('a session', () => {
  it('is in a cookie that no script reads and no other site sends with a form', async () => {
    const browser = openBrowser();
    const asked = await browser.follow('/sign-in');
    const cookies: string[] = [];
    const watching: Browser = {
      ...browser,
      follow: async (address) => {
        let visited = await browser.visit(address);
        while (visited.location) {
          cookies.push(...visited.headers.getSetCookie());
          visited = await browser.visit(visited.location);
        }
        return visited;
      },
    };
    await fillInSignIn(watching, asked, freshEmail());
    const session = cookies.find((cookie) => cookie.startsWith('session='));
    expect(session).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
  });

  it('that was altered anywhere is none', async () => {
    const browser = await signedIn();
    const value = ourCookies(browser).get('session') ?? '';
    const parts = value.split('.');
    const altered = [
      ...parts.flatMap((part, at) => {
        if (part === '') return [];
        const other = `${part.slice(0, -2)}${part.at(-2) === 'A' ? 'B' : 'A'}${part.slice(-1)}`;
        return [parts.with(at, other).join('.')];
      }),
      value.slice(0, -1),
      '',
      'x',
      'eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImEifQ.',
    ];
    for (const cookie of altered) {
      ourCookies(browser).set('session', cookie);
      expect(await isSignedIn(browser), cookie).toBe(false);
    }
    ourCookies(browser).set('session', value);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('is not what else we encrypt', async () => {
    const browser = openBrowser();
    const { location } = await browser.visit('/programs');
    ourCookies(browser).set('session', location?.searchParams.get('returnTo') ?? '');
    expect(await isSignedIn(browser)).toBe(false);
    await browser.visit('/sign-in');
    const begun = [...ourCookies(browser)].find(([name]) => name.startsWith('sign-in-'));
    ourCookies(browser).set('session', begun?.[1] ?? '');
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe('signing out', () => {
  it('ends the session here and at the identity provider', async () => {
    const browser = await signedIn();
    const left = await browser.submit('/sign-out');
    expect(left.status).toBe(303);
    expect(left.location?.origin).not.toBe(appUrl());
    const ended = await browser.follow(left.location ?? '');
    expect(ended.url.href).toBe(`${appUrl()}/`);
    expect(await isSignedIn(browser)).toBe(false);
    const again = await browser.follow('/sign-in');
    expect(again.text).toContain('name="password"');
  });

  it('ends a copy of the cookie too, and no other session of the account', async () => {
    const email = freshEmail();
    const [browser, elsewhere] = await Promise.all([signedIn(email), signedIn(email)]);
    const copy = openBrowser();
    copy.cookies.set(new URL(appUrl()).hostname, new Map(ourCookies(browser)));
    const token = await browser.csrfToken();
    expect(await isSignedIn(copy)).toBe(true);
    await browser.submit('/sign-out');
    expect(await isSignedIn(copy)).toBe(false);
    expect((await copy.visit('/')).status).toBe(200);
    const refused = await copy.post('/programs/new', { csrfToken: token, name: 'x', currency: 'EUR' });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Your session has ended');
    expect(await isSignedIn(elsewhere)).toBe(true);
  });

  it('everywhere ends every session of the account at once, also at the identity provider, and nobody else', async () => {
    const email = freshEmail();
    const [browser, elsewhere, stranger] = await Promise.all([signedIn(email), signedIn(email), signedIn()]);
    expect((await browser.visit('/sign-out/everywhere')).text).toContain(email);
    expect((await browser.submit('/sign-out/everywhere')).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await isSignedIn(stranger)).toBe(true);
    // The provider still has the session of the other device, and says in seconds since when.
    const asked = await elsewhere.follow('/sign-in');
    expect(asked.text).toContain('name="password"');
    await sleep(1000);
    await fillInSignIn(elsewhere, asked, email);
    expect(await isSignedIn(elsewhere)).toBe(true);
  });

  it('of many sessions ends each of them, also those that are not remembered one by one', async () => {
    const email = freshEmail();
    const now = new Date();
    await findOrMakeAccount(email);
    const sessions = Array.from({ length: bounds.endedSessionsOfAccount + 1 }, (_, at) => ({
      id: `session-${at}`,
      startedAt: now.getTime() - 1000,
    }));
    for (const session of sessions) await endSession(email, session, now.getTime() + 60_000, now);
    const account = await getAccount(email);
    if (!account) throw new Error('There is no account');
    expect(sessions.every((session) => isSessionEnded(account, session))).toBe(true);
    expect(account.endedSessions).toBeUndefined();
  });

  it('of sessions at the same moment ends each of them', async () => {
    const email = freshEmail();
    const now = new Date();
    await findOrMakeAccount(email);
    const sessions = Array.from({ length: 6 }, (_, at) => ({ id: `session-${at}`, startedAt: now.getTime() }));
    await Promise.all(sessions.map((session) => endSession(email, session, now.getTime() + 60_000, now)));
    const account = await getAccount(email);
    expect(account && sessions.every((session) => isSessionEnded(account, session))).toBe(true);
    expect(account && isSessionEnded(account, { id: 'another', startedAt: now.getTime() })).toBe(false);
  });

  it('needs its form: who is led to its address stays signed in', async () => {
    const browser = await signedIn();
    expect((await browser.visit('/sign-out')).status).toBe(405);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('is what it takes: until then the provider asks for nothing', async () => {
    const browser = await signedIn();
    ourCookies(browser).clear();
    expect((await browser.follow('/sign-in')).url.href).toBe(programsPage());
  });
});
