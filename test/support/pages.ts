import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { vi } from 'vitest';
import { handler as assetPages } from '../../functions/web-assets.ts';
import { handler as exportPages } from '../../functions/web-exports.ts';
import { handler as importPages } from '../../functions/web-imports.ts';
import { handler as portalPages } from '../../functions/web-portal.ts';
import { handler as programPages } from '../../functions/web-programs.ts';
import { handler as recordPages } from '../../functions/web-records.ts';
import { handler as signInPages } from '../../functions/web-sign-in.ts';
import { handler as webhookPages } from '../../functions/web-webhooks.ts';
import { mailVariables } from '../../shared/contract/mail-settings.ts';
import { routePathOfPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { readSession, startSession } from '../../shared/web/session/session.ts';

// Pages and forms of the dashboard in the process of the test, without a stack.

/** The function of each area. */
export const pageHandlers: Record<string, typeof recordPages> = {
  'web-assets': assetPages,
  'web-exports': exportPages,
  'web-imports': importPages,
  'web-portal': portalPages,
  'web-programs': programPages,
  'web-records': recordPages,
  'web-sign-in': signInPages,
  'web-webhooks': webhookPages,
};

export const appUrl = 'http://127.0.0.1:1';

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`);

/** A fixed segment wins, as in API Gateway. */
const pageAt = (method: string, pathname: string) => {
  const found = pages
    .filter((page) => page.method === method && patternOf(page.path).test(pathname))
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)[0];
  if (!found) throw new Error(`No page at ${method} ${pathname}`);
  return found;
};

/** One request of the page at an address, in this process. */
export const sendToPage = async (
  method: 'GET' | 'POST',
  address: string,
  cookie: string,
  { sourceIp, ...more }: { sourceIp?: string } & Record<string, unknown>,
) => {
  const { pathname, search } = new URL(address, appUrl);
  const page = pageAt(method, pathname);
  const route = routePathOfPage(page);
  const names = [...route.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name ?? '');
  const form = route.replace('{page+}', '(.+)').replaceAll(/\{\w+\}/g, '([^/]+)');
  const values = new RegExp(`^${form}$`).exec(pathname)?.slice(1) ?? [];
  const event = {
    routeKey: `${method} ${route}`,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    pathParameters: Object.fromEntries(names.map((name, at) => [name, values[at]])),
    headers: {},
    cookies: cookie.split('; '),
    ...more,
    requestContext: { requestId: randomUUID(), http: { method, path: pathname, sourceIp } },
  };
  const {
    statusCode,
    body,
    headers,
    cookies = [],
  } = (await pageHandlers[page.function]?.(event as never, {} as Context)) ?? {};
  const retryAfter = String(headers?.['retry-after']);
  return { status: statusCode, text: String(body), location: headers?.location, retryAfter, headers, cookies };
};

/** The environment of a function that serves pages. Call it in a test or in `beforeEach`. */
export const stubPageEnvironment = (): void => {
  for (const [name, value] of Object.entries({
    APP_URL: appUrl,
    CURSOR_KEY: 'the key of the tests',
    FORM_LIMIT: '1000',
    CONNECTOR_PLATFORM: 'automation',
    CONNECT_HOSTS: '127.0.0.1',
    [mailVariables.from]: 'programs@example.com',
  }))
    vi.stubEnv(name, value);
};

/** Of somebody who is signed in. Call it in a test or in `beforeEach`: it sets variables of the environment. */
export const openPages = async (email: string, headers: Record<string, string> = {}) => {
  stubPageEnvironment();
  const cookie = (await startSession(email, new Date())).split(';')[0] ?? '';
  const session = await readSession(cookie.split('=').slice(1).join('='), new Date());
  return {
    visit: (address: string) => sendToPage('GET', address, cookie, { headers }),
    submit: (address: string, fields: Record<string, string>) =>
      sendToPage('POST', address, cookie, {
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...fields, csrfToken: session?.csrfToken ?? '' }).toString(),
      }),
  };
};
