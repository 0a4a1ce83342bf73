import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { updatePortal } from '../../shared/domain/programs/update-portal.ts';
import { storeAffiliate } from '../support/domain.ts';
import { stubPageEnvironment } from '../support/pages.ts';
import { portalBrowser, startedPortalCookie } from '../support/portal-pages.ts';
import { storeProgram } from '../support/webhooks.ts';

// What pages of other sites have to do with the portal.

let program: StoredProgram;
beforeEach(async () => {
  stubPageEnvironment();
  program = await storeProgram();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const signedIn = async (isFramed: boolean) => {
  const { id } = await storeAffiliate(program);
  return portalBrowser(program, await startedPortalCookie(program.id, id, new Date(), isFramed));
};

const origins = ['https://shop.example', 'https://www.shop.example'];
const framed = { 'sec-fetch-dest': 'iframe' };
const policyOf = (headers: Record<string, unknown> | undefined) => String(headers?.['content-security-policy']);

it('pages of other sites may show the portal where the settings list their origins, without our bar; without settings none may', async () => {
  const browser = await signedIn(true);
  const before = await browser.visit('/overview', framed);
  expect(policyOf(before.headers)).toContain("frame-ancestors 'none'");
  expect(before.headers?.['x-frame-options']).toBe('DENY');
  await updatePortal(program.id, { portalIsOn: true, logoUrl: null, embeddingOrigins: origins }, new Date());
  for (const path of ['', '/sign-in', '/overview', '/links', '/nothing']) {
    const { headers } = await browser.visit(path.replace('/nothing', '/payouts/x'), framed);
    expect(policyOf(headers), path).toContain(`frame-ancestors ${origins.join(' ')};`);
    expect(headers, path).not.toHaveProperty('x-frame-options');
  }
  const { text } = await browser.visit('/overview', framed);
  expect(text).not.toContain('<header');
  expect(text).toContain('aria-label="Portal"');
  expect((await (await signedIn(false)).visit('/overview')).text).toContain('<header');
});

it('the session in a frame and that of the portal itself stay apart, in a page of our own site too, which sends both', async () => {
  const [itself, embedded] = [await storeAffiliate(program), await storeAffiliate(program)];
  const cookies = [
    await startedPortalCookie(program.id, itself.id),
    await startedPortalCookie(program.id, embedded.id, new Date(), true),
  ];
  for (const both of [cookies, cookies.toReversed()]) {
    const browser = () => portalBrowser(program, both.join('; '));
    expect((await browser().visit('/profile')).text).toContain(itself.email);
    expect((await browser().visit('/profile', framed)).text).toContain(embedded.email);
  }
  const [, ofFrame = ''] = cookies;
  expect((await portalBrowser(program, ofFrame).visit('/profile')).status).toBe(303);
  const browser = portalBrowser(program, cookies.join('; '));
  const csrfToken = /name="csrfToken" value="([^"]+)"/.exec((await browser.visit('/profile', framed)).text)?.[1] ?? '';
  const signedOut = await browser.post('/sign-out', { csrfToken }, framed);
  expect(signedOut.cookies).toEqual([expect.stringMatching(/^portal-framed=; .*Max-Age=0/)]);
  expect((await portalBrowser(program, cookies.join('; ')).visit('/profile', framed)).status).toBe(303);
  expect((await portalBrowser(program, cookies.join('; ')).visit('/profile')).status).toBe(200);
});

it('another site lends its logo to the portal, and nothing else', async () => {
  const settings = { portalIsOn: true, logoUrl: 'https://cdn.example/logo.svg', embeddingOrigins: [] };
  await updatePortal(program.id, settings, new Date());
  const { headers, text } = await portalBrowser(program).visit('');
  expect(text).toContain('<img src="https://cdn.example/logo.svg" alt="Acme"');
  expect(policyOf(headers)).toContain("img-src 'self' data: https://cdn.example;");
  expect(policyOf(headers)).toContain("script-src 'self';");
});
