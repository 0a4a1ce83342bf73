import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../shared/contract/operations.ts';
import { guideSlugs } from '../../shared/web/documentation/guides.ts';
import { appUrl, openBrowser, type Visit } from '../support/browser.ts';

const browser = openBrowser();
const visit = (path: string, headers: Record<string, string> = {}): Promise<Visit> =>
  browser.visit(new URL(path, appUrl()), { headers });

/** For those who run a deployment or change the source; integrators never need them. docs/decisions/documentation.md */
const inRepositoryOnly = ['benchmarks', 'data-model', 'operations', 'runbook', 'security', 'testing'];

const addresses = ['/docs', ...guideSlugs.map((slug) => `/docs/${slug}`)];
const pages = new Map<string, Visit>();
beforeAll(async () => {
  await Promise.all(addresses.map(async (address) => pages.set(address, await visit(address))));
});
const pageAt = (address: string): Visit => {
  const page = pages.get(address);
  if (!page) throw new Error(`${address} was not read`);
  return page;
};

const valuesOf = (html: string, attribute: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

it('every guide is served, or kept in the repository on purpose', () => {
  const guides = globSync('docs/*.md').map((file) => basename(file, '.md'));
  expect([...guideSlugs, ...inRepositoryOnly].sort()).toEqual(guides.sort());
});

describe.each(addresses)('%s', (address) => {
  it('is a whole page that may run nothing but our own files', () => {
    const { status, headers, text } = pageAt(address);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    for (const directive of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      expect(policy.split('; ')).toContain(directive);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(text).toMatch(/^<!doctype html><html lang="en">/);
    expect(text).not.toMatch(/<script>|<style|<img|javascript:|\son\w+="|\sstyle="|(?<!erased)\.invalid/i);
    for (const source of valuesOf(text, 'src')) expect(source).toMatch(/^\/docs\/files\/[a-z]+-[0-9a-f]{12}\.js$/);
    // Redoc draws the heading of the reference.
    expect(text.split('<h1').length).toBe(address === '/docs' ? 1 : 2);
  });

  it('has no link that leads nowhere', () => {
    const { text } = pageAt(address);
    for (const href of valuesOf(text, 'href').filter((to) => /^(#|\/docs)/.test(to) && !to.includes('/files/'))) {
      const { pathname, hash } = new URL(href, `${appUrl()}${address}`);
      const target = pages.get(pathname);
      expect(target?.status, href).toBe(200);
      if (hash) expect(valuesOf(target?.text ?? '', 'id'), `${address}: ${href}`).toContain(hash.slice(1));
    }
  });
});

it('the reference tells readers without JavaScript where they find it', () => {
  const [, hint = ''] = pageAt('/docs').text.split('<noscript>');
  expect(hint).toContain('href="/api/v1/docs"');
});

it('the files of the pages can be kept forever, compressed or not', async () => {
  const named = addresses.flatMap((address) => [
    ...valuesOf(pageAt(address).text, 'src'),
    ...valuesOf(pageAt(address).text, 'data-index'),
    ...valuesOf(pageAt(address).text, 'href').filter((href) => href.includes('/files/')),
  ]);
  const files = [...new Set(named)];
  expect(files).toHaveLength(5);
  for (const file of files) {
    const plain = await visit(file, { 'accept-encoding': 'identity' });
    expect(plain.status, file).toBe(200);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|application\/json); charset=utf-8$/);
    const compressed = await fetch(new URL(file, appUrl()), { headers: { 'accept-encoding': 'br' } });
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect(await compressed.text()).toBe(plain.text);
  }
});

it('searches without JavaScript, in the guides and the operations', async () => {
  const found = async (query: string): Promise<string[]> => {
    const { status, text } = await visit(`/docs/search?${new URLSearchParams({ q: query })}`);
    expect(status).toBe(200);
    const [, list = ''] = text.split('class="found"');
    return valuesOf(list, 'href');
  };
  expect((await found('rotate secret'))[0]).toBe('/docs/webhooks#rotate-the-secret');
  expect(await found('promotional_code.redeemed')).toContain('/docs/webhook-events#promotional_coderedeemed');
  expect(await found('idempotncy')).toContain('/docs/behavior#idempotency-keys');
  const [operation] = operations.filter(({ id }) => id === 'createPromotionalCodesInBulk');
  expect(await found(operation?.summary ?? '')).toContain('/api/v1/docs#createPromotionalCodesInBulk');
  expect(await found('')).toEqual([]);
  expect(await found('xyzzy')).toEqual([]);
});

it('what somebody searches for is text, and an address of no page is a 404 within the documentation', async () => {
  const script = encodeURIComponent('"><script>alert(1)</script>');
  expect((await visit(`/docs/search?q=${script}`)).text).not.toContain('<script>');
  for (const address of ['/docs/nothing', '/docs/__proto__', '/docs/files/nothing.js', '/docs/files/constructor']) {
    const { status, headers, text } = await visit(address);
    expect(status, address).toBe(404);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('<h1>Page not found</h1>');
  }
  expect((await visit(`/docs/search?q=${'x'.repeat(201)}`)).status).toBe(400);
  expect((await browser.post('/docs', {})).status).toBe(405);
});
