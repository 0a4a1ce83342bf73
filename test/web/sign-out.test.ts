import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../shared/contract/bounds.ts';
import { findOrMakeAccount, getAccount } from '../../shared/domain/programs/accounts.ts';
import { endSession, isSessionEnded } from '../../shared/domain/programs/ended-sessions.ts';
import { appUrl, type Browser, fillInSignIn, freshEmail, openBrowser, signedIn } from '../support/browser.ts';
import '../support/program.ts';
import { isSignedIn, ourCookies, programsPage } from './our-cookies.ts';

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
