import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type RequestContent, sendRequest } from './http.ts';
import { keepSecrets, secretsIn } from './secrets-of-tests.ts';

/** What a visit to an address came to. */
export interface Visit {
  status: number;
  url: URL;
  headers: Headers;
  text: string;
  /** Where a redirect leads. */
  location: URL | undefined;
}

/** A browser without a screen: it keeps cookies by host, and follows redirects only where it is told to. */
export interface Browser {
  cookies: Map<string, Map<string, string>>;
  base: string;
  visit: (address: string | URL, init?: RequestContent) => Promise<Visit>;
  /** Visits and follows every redirect. */
  follow: (address: string | URL, init?: RequestContent) => Promise<Visit>;
  /** Posts fields as a form does, as they are given. */
  post: (address: string | URL, fields: Record<string, string>, headers?: Record<string, string>) => Promise<Visit>;
  /** The CSRF token of this browser's session: the one for an address, in the portal or elsewhere. */
  csrfToken: (address?: string | URL) => Promise<string>;
  /** Posts fields with that token. */
  submit: (address: string | URL, fields?: Record<string, string>) => Promise<Visit>;
}

/** The address of the web application of the stack under test. */
export const appUrl = (): string => new URL(inject('baseUrl')).origin;

const keep = (jar: Map<string, string>, setCookie: string): void => {
  const [pair = '', ...attributes] = setCookie.split(/; */);
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const isOver = attributes.some((attribute) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(attribute));
  if (isOver) jar.delete(name);
  else jar.set(name, value);
};

/** The hidden CSRF token of a page. */
const csrfTokenIn = (html: string): string => /name="csrfToken" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** A browser that has been nowhere yet, or has these cookies. Paths are below `base`. */
export const openBrowser = (base = appUrl(), cookies: Browser['cookies'] = new Map()): Browser => {
  const visit: Browser['visit'] = async (address, init = {}) => {
    const url = new URL(address, base);
    const jar = cookies.get(url.hostname) ?? new Map<string, string>();
    cookies.set(url.hostname, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await sendRequest(url, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) keep(jar, cookie);
    const location = response.headers.get('location');
    keepSecrets([...secretsIn(headers, response.headers, response.text), csrfTokenIn(response.text)]);
    return { ...response, url, location: location === null ? undefined : new URL(location, url) };
  };
  const follow: Browser['follow'] = async (address, init) => {
    let visited = await visit(address, init);
    for (let redirects = 0; visited.location && redirects < 10; redirects++) visited = await visit(visited.location);
    return visited;
  };
  const formInit = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestContent => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  const post: Browser['post'] = (address, fields, headers) => visit(address, formInit(fields, headers));
  const tokens = new Map<string, string>();
  const csrfToken: Browser['csrfToken'] = async (address = '/') => {
    const [portal] = /^\/portal\/[^/]+/.exec(new URL(address, base).pathname) ?? [];
    // It is the same as long as the session is.
    const session = cookies.get(new URL(base).hostname)?.get(portal ? 'portal' : 'session') ?? '';
    const form = portal ? `${portal}/profile` : '/programs';
    const token = tokens.get(session) ?? csrfTokenIn((await visit(form)).text);
    tokens.set(session, token);
    return token;
  };
  const submit: Browser['submit'] = async (address, fields = {}) =>
    post(address, { csrfToken: await csrfToken(address), ...fields });
  return { cookies, base, visit, follow, post, csrfToken, submit };
};

/** An address that no other test has. */
export const freshEmail = (): string => `person-${randomUUID()}@example.com`;

/** Fills in the identity provider's page, where `at` has led a browser, and follows it back to the application. */
export const fillInSignIn = async (
  browser: Browser,
  at: Visit,
  email: string,
  more: Record<string, string> = {},
): Promise<Visit> => {
  const sent = await browser.post(at.url, { email, password: inject('password'), ...more });
  return sent.location ? browser.follow(sent.location) : sent;
};

/** A browser that is signed in. */
export const signedIn = async (email = freshEmail()): Promise<Browser> => {
  const browser = openBrowser();
  const arrived = await fillInSignIn(browser, await browser.follow('/sign-in'), email);
  if (arrived.url.href !== `${appUrl()}/programs`)
    throw new Error(`Signing in ended at ${arrived.url}: ${arrived.text}`);
  return browser;
};
