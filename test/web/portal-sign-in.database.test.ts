import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { updateAffiliate } from '../../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../../shared/domain/deletions/delete-affiliate.ts';
import { createPortalLink, newSignInLink } from '../../shared/domain/portal/sign-in-link.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { updatePortal } from '../../shared/domain/programs/update-portal.ts';
import { outcomeOf, storeAffiliate } from '../support/domain.ts';
import { erase } from '../support/erasures.ts';
import { appUrl, stubPageEnvironment } from '../support/pages.ts';
import { portalBrowser } from '../support/portal-pages.ts';
import { storeProgram } from '../support/webhooks.ts';

let program: StoredProgram;
let affiliate: StoredAffiliate;
beforeEach(async () => {
  stubPageEnvironment();
  program = await storeProgram();
  affiliate = await storeAffiliate(program, { firstName: 'Amara' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const update = (fields: { status?: 'banned'; email?: string; firstName?: string }) =>
  updateAffiliate(program.id, { affiliateId: affiliate.id, ...fields }, undefined, new Date());

/** What ends links and sessions. */
const changes = {
  banned: () => update({ status: 'banned' }),
  deleted: () => deleteAffiliate(program.id, affiliate.id, undefined, new Date()),
  erased: () => erase(program.id, affiliate.email),
  'given another email': () => update({ email: `${randomUUID()}@example.com` }),
};
const whatChanges = Object.keys(changes) as (keyof typeof changes)[];

const tokenOf = ({ path }: { path: string }): string => new URL(path, appUrl).searchParams.get('token') ?? '';

/** Of a link that was mailed so many seconds ago. */
const mailedToken = async (secondsAgo = 0): Promise<string> =>
  tokenOf(await newSignInLink(program, affiliate, false, new Date(Date.now() - secondsAgo * 1000)));

const enter = (browser: ReturnType<typeof portalBrowser>, token: string, headers?: Record<string, string>) =>
  browser.post('/sign-in', { token }, headers);

const signedIn = async () => {
  const browser = portalBrowser(program);
  expect((await enter(browser, await mailedToken())).status).toBe(303);
  return browser;
};

const expectNoEntry = async (attempt: ReturnType<typeof enter>): Promise<void> => {
  const { status, text, cookies } = await attempt;
  expect([status, cookies]).toEqual([400, []]);
  expect(text).toContain('This link does not work any more');
};

describe('a link', () => {
  it('signs in by the button on its page, which may be visited any number of times before', async () => {
    const [token, scanner, browser] = [await mailedToken(), portalBrowser(program), portalBrowser(program)];
    for (const one of [scanner, browser, scanner]) {
      const { status, text, cookies } = await one.visit(`/sign-in?token=${token}`);
      expect([status, cookies]).toEqual([200, []]);
      expect(text).toContain('Welcome, Amara');
      expect(text).not.toContain('data-continue');
    }
    expect(await enter(browser, token)).toMatchObject({ status: 303, location: expect.stringMatching(/\/overview$/) });
    expect((await browser.visit('/overview')).text).toContain(affiliate.email);
  });

  it('is asked for where somebody types its address without one', async () => {
    expect(await portalBrowser(program).visit('/sign-in')).toMatchObject({
      status: 303,
      location: `/portal/${program.handle}`,
    });
  });

  it('works once, whichever browser uses it', async () => {
    const [token, first, second] = [await mailedToken(), portalBrowser(program), portalBrowser(program)];
    expect((await enter(first, token)).status).toBe(303);
    await expectNoEntry(enter(second, token));
    await expectNoEntry(enter(first, token));
    expect((await first.visit('/overview')).status).toBe(200);
  });

  it('signs in one of several browsers that use it at the same moment', async () => {
    const token = await mailedToken();
    const attempts = await Promise.all(Array.from({ length: 5 }, () => enter(portalBrowser(program), token)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400]);
  });

  it('works for 15 minutes', async () => {
    expect((await enter(portalBrowser(program), await mailedToken(15 * 60 - 5))).status).toBe(303);
    const late = await mailedToken(15 * 60);
    await expectNoEntry(enter(portalBrowser(program), late));
    expect((await portalBrowser(program).visit(`/sign-in?token=${late}`)).status).toBe(400);
  });

  it('works unaltered only, and in no portal but that of its program', async () => {
    const token = await mailedToken();
    const parts = token.split('.');
    const altered = parts.map((_, at) => parts.map((part, own) => (own === at ? `${part.slice(0, -2)}AA` : part)));
    for (const forged of ['x', token.slice(1), ...altered.map((some) => some.join('.'))].filter((one) => one !== token))
      await expectNoEntry(enter(portalBrowser(program), forged));
    await expectNoEntry(enter(portalBrowser(await storeProgram()), token));
    // The cookie of a session is no link, and a link is no cookie.
    const browser = await signedIn();
    await expectNoEntry(enter(portalBrowser(program), browser.cookie().replace('portal=', '')));
    expect((await portalBrowser(program, `portal=${token}`).visit('/overview')).status).toBe(303);
  });

  it('works after other changes of the affiliate, and so does its session', async () => {
    const token = await mailedToken();
    await update({ firstName: 'Amina' });
    const browser = portalBrowser(program);
    expect((await enter(browser, token)).status).toBe(303);
    await update({ firstName: 'Amara' });
    expect((await browser.visit('/overview')).status).toBe(200);
  });

  it('is refused from another site, which could sign somebody in as somebody else', async () => {
    const token = await mailedToken();
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await enter(portalBrowser(program), token, headers)).status).toBe(403);
    expect((await enter(portalBrowser(program), token)).status).toBe(303);
  });

  it.each(whatChanges)('does not work for an affiliate who was %s since', async (what) => {
    const token = await mailedToken();
    await changes[what]();
    await expectNoEntry(enter(portalBrowser(program), token));
  });

  it('from the API continues by itself in a frame, and there only, unless another affiliate is signed in there', async () => {
    const token = tokenOf(await createPortalLink(program.id, affiliate.id, new Date()));
    const framed = { 'sec-fetch-dest': 'iframe' };
    const continues = async (browser: ReturnType<typeof portalBrowser>, headers: Record<string, string>) => {
      const { text } = await browser.visit(`/sign-in?token=${token}`, headers);
      expect(text).toContain('Welcome, Amara');
      return text.includes('data-continue');
    };
    expect(await continues(portalBrowser(program), framed)).toBe(true);
    for (const headers of [{}, { 'sec-fetch-dest': 'document' }])
      expect(await continues(portalBrowser(program), headers)).toBe(false);
    const other = await storeAffiliate(program);
    const browser = portalBrowser(program);
    await enter(browser, tokenOf(await createPortalLink(program.id, other.id, new Date())), framed);
    expect(await continues(browser, framed)).toBe(false);
  });

  it('from the API is refused for a banned affiliate, one who is not there, and while the portal is off', async () => {
    const link = (id: string) => outcomeOf(() => createPortalLink(program.id, id, new Date()));
    expect(await link(randomUUID())).toEqual({ status: 404 });
    expect(await link((await storeAffiliate(program, { status: 'BANNED' })).id)).toEqual({ status: 409 });
    expect(await link((await storeAffiliate(program, { status: 'INACTIVE' })).id)).toBe('accepted');
    await updatePortal(program.id, { portalIsOn: false, logoUrl: null, embeddingOrigins: [] }, new Date());
    expect(await link(affiliate.id)).toEqual({ status: 409 });
  });
});

describe('a session', () => {
  it('has a cookie of its own, for the portal of one program alone, that scripts and other sites cannot read', async () => {
    vi.stubEnv('APP_URL', 'https://app.example');
    const token = await mailedToken();
    const headers = { origin: 'https://app.example' };
    const [set] = (await enter(portalBrowser(program), token, headers)).cookies;
    const path = `Path=/portal/${program.handle}`;
    expect(set?.split('; ').slice(1)).toEqual([path, 'Max-Age=43200', 'HttpOnly', 'SameSite=Lax', 'Secure']);
    expect(set).toMatch(/^__Secure-portal=/);
    expect(Buffer.from(set ?? '', 'base64').toString('latin1')).not.toContain(affiliate.id);
    const framed = { ...headers, 'sec-fetch-dest': 'iframe' };
    const [inFrame] = (await enter(portalBrowser(program), await mailedToken(), framed)).cookies;
    expect(inFrame).toMatch(/^__Secure-portal-framed=/);
    expect(inFrame?.split('; ').slice(1)).toEqual([
      path,
      'Max-Age=43200',
      'HttpOnly',
      'SameSite=None',
      'Secure',
      'Partitioned',
    ]);
  });

  it('is a new one after each sign-in, whatever cookie the browser was given before', async () => {
    const attacker = await signedIn();
    const victim = portalBrowser(program, attacker.cookie());
    const other = await storeAffiliate(program, { email: `${randomUUID()}@example.net` });
    const token = tokenOf(await newSignInLink(program, other, false, new Date()));
    expect((await enter(victim, token)).status).toBe(303);
    expect(victim.cookie()).not.toBe(attacker.cookie());
    expect((await victim.visit('/overview')).text).toContain(other.email);
    const { text } = await attacker.visit('/overview');
    expect(text).toContain(affiliate.email);
    expect(text).not.toContain(other.email);
    // Nor is the form of one session that of another.
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await victim.post('/profile', { firstName: 'Forged', csrfToken })).status).toBe(403);
  });

  it('ends on sign-out, for whoever has copied the cookie too, and its link stays used', async () => {
    const token = await mailedToken();
    const browser = portalBrowser(program);
    await enter(browser, token);
    const copied = browser.cookie();
    const { status, location } = await browser.submit('/sign-out');
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/portal\/[^/]+$/)]);
    expect(browser.cookie()).toBe('');
    for (const path of ['/overview', '/sales']) {
      const again = await portalBrowser(program, copied).visit(path);
      expect([again.status, again.location]).toEqual([303, location]);
      expect(again.cookies).toEqual([expect.stringContaining(`Path=${location}; Max-Age=0`)]);
    }
    await expectNoEntry(enter(browser, token));
  });

  it('ends twelve hours after the sign-in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const browser = await signedIn();
    vi.setSystemTime(Date.now() + 12 * 60 * 60 * 1000 - 1000);
    expect((await browser.visit('/overview')).status).toBe(200);
    vi.setSystemTime(Date.now() + 2000);
    expect((await browser.visit('/overview')).status).toBe(303);
  });

  it.each(whatChanges)('ends with the next request of an affiliate who is %s, page or form', async (what) => {
    const browser = await signedIn();
    const { text } = await browser.visit('/profile');
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(text)?.[1] ?? '';
    await changes[what]();
    const refused = await browser.post('/profile', { firstName: 'Changed', csrfToken });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Your session has ended');
    expect(await browser.visit('/overview')).toMatchObject({
      status: 303,
      cookies: [expect.stringContaining('Max-Age=0')],
    });
  });

  it('ends for everybody while the portal is off, or under another handle', async () => {
    const browser = await signedIn();
    expect((await portalBrowser({ ...program, handle: program.id }, browser.cookie()).visit('/overview')).status).toBe(
      404,
    );
    await updatePortal(program.id, { portalIsOn: false, logoUrl: null, embeddingOrigins: [] }, new Date());
    for (const path of ['', '/overview', '/sign-in']) expect((await browser.visit(path)).status, path).toBe(404);
  });

  it('of another program leads to the sign-in page of this one, and stays what it is', async () => {
    const browser = await signedIn();
    const other = await storeProgram();
    const elsewhere = portalBrowser(other, browser.cookie());
    expect(await elsewhere.visit('/overview')).toMatchObject({ status: 303, cookies: [] });
    expect((await elsewhere.visit('')).text).toContain('Send me a link');
    expect((await browser.visit('')).location).toMatch(/\/overview$/);
  });
});

it('a handle that is none leads nowhere else', async () => {
  const { status, location } = await portalBrowser({ ...program, handle: '..%2F\r\nx: y' }).visit('/overview');
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/portal\/[\w.%]+$/)]);
});
