import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WebPage } from '../../shared/contract/page.ts';
import { type DeclaredPage, pages } from '../../shared/contract/pages/pages.ts';
import { appUrl, openBrowser, type Visit } from '../support/browser.ts';
import { actions, documents, framed, isForSignedOut, requestOf, shownPages } from './every-page.ts';
import { stateOf } from './state-of.ts';
import { makeWebWorld, type WebWorld } from './web-world.ts';

let mine: WebWorld;
let theirs: WebWorld;
/** What both accounts have before the first request that must be refused. */
let before: unknown[];
const states = () => Promise.all([mine, theirs].map(stateOf));
beforeAll(async () => {
  [mine, theirs] = await Promise.all([makeWebWorld(), makeWebWorld()]);
  before = await states();
});

/** Responses that several tests of a page check: each is requested once. */
const visits = new Map<string, Promise<Visit>>();
const visitOnce = (page: (typeof pages)[number], by: 'owner' | 'anyone'): Promise<Visit> => {
  const key = `${page.id} ${by}`;
  const { address, form } = requestOf(page, mine);
  const browser = by === 'owner' ? mine.browser : openBrowser();
  const visited = visits.get(key) ?? (page.method === 'GET' ? browser.visit(address) : browser.post(address, form));
  visits.set(key, visited);
  return visited;
};

/** Of a document that only a page of ours may show: it can do nothing. */
const expectHeadersOfFramed = ({ headers }: Visit): void => {
  expect(headers.get('content-security-policy')?.split('; ').toSorted()).toEqual(
    [
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      'sandbox',
      "style-src 'unsafe-inline'",
    ].toSorted(),
  );
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
};

const expectSafeHeaders = ({ headers, status }: Visit): void => {
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "style-src 'self'"])
    expect(policy).toContain(directive);
  expect(policy.split('; ')).toContain("script-src 'self'");
  expect(policy).toMatch(/form-action 'self'/);
  expect(policy).not.toMatch(/unsafe-|nonce-|sha256-|\*/);
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('same-origin');
  expect(headers.get('cache-control'), String(status)).toBe('no-store');
};

/** The one script of the application, by its versioned address. */
const ownScript = /<script src="\/script\/[0-9a-f]{12}" defer><\/script>/;

/** Of an asset, or of an upload. */
const ownImage =
  /<img class="asset-image" src="(?:https?:[^"]*\/images\/[\w./-]+|data:image\/png;base64,[^"]*)"(?: \w+="[^"]*")*\/>/g;

/** What is wrong with a document, as far as text can tell. */
const expectSoundDocument = (html: string): void => {
  expect(html).toMatch(/^<!doctype html><html lang="en">/);
  expect(html).toMatch(ownScript);
  expect(html.replace(ownScript, '').replaceAll(ownImage, '')).not.toMatch(
    /<script|<style|<img|javascript:|\son\w+="|\sstyle="/i,
  );
  for (const landmark of ['<header', '<main id="main"', 'class="skip" href="#main"', '<title>'])
    expect(html).toContain(landmark);
  expect(html.split('<h1').length).toBe(2);
  for (const [input] of html.matchAll(/<input(?:[^>"]|"[^"]*")*>/g)) {
    if (/\stype="(?:hidden|radio)"/.test(input)) continue;
    const [, id] = /\sid="([^"]+)"/.exec(input) ?? [];
    if (id) expect(html).toContain(`<label for="${id}"`);
    else expect(input).toMatch(/\saria-label="[^"]+"/);
  }
};

it('an address that no page has is handled with a page, and below /api as the API does', async () => {
  for (const path of ['/nothing', '/programs/x/y/z', '/apis', '//evil.example/', '/%00']) {
    const visited = await mine.browser.visit(new URL(appUrl() + path));
    expect(visited.status, path).toBe(404);
    expectSafeHeaders(visited);
    expectSoundDocument(visited.text);
    expect(visited.text).toContain('href="/"');
  }
  for (const path of ['/api', '/api/nothing', '/api/v1/nothing'])
    expect(JSON.parse((await mine.browser.visit(path)).text)).toHaveProperty('error');
});

describe.each(pages)('$method $path', (page) => {
  it('has the security headers, whether it is shown or refused', async () => {
    const visited = [visitOnce(page, 'owner'), visitOnce(page, 'anyone')];
    if (page.method === 'GET') visited.push(mine.browser.visit(requestOf(page, mine).address, { method: 'DELETE' }));
    for (const visit of await Promise.all(visited)) {
      expect(visit.status).toBeLessThan(500);
      if (framed.includes(page.id) && visit.status === 200) expectHeadersOfFramed(visit);
      else expectSafeHeaders(visit);
    }
  });

  it('takes whatever comes in its place without a failure of ours', async () => {
    const { address } = requestOf(page, mine);
    const odd = address.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '%00%ff..%2F%27');
    const targets = new Set([odd, `${address.split('?')[0]}?%E0%A4%A=%ff&__proto__=1&a=1&a=2`]);
    for (const target of targets) {
      const visited =
        page.method === 'GET' ? await mine.browser.visit(target) : await mine.browser.submit(target, { x: '\0' });
      expect(visited.status, target).toBeLessThan(500);
    }
  });
});

describe.each(documents)('$path', (page) => {
  it('is a sound document in which what people entered is text', async () => {
    expectSoundDocument((await visitOnce(page, isForSignedOut(page) ? 'anyone' : 'owner')).text);
  });
});

/** The pages that show a form of another address. */
const shownOn: Readonly<Record<string, DeclaredPage['id']>> = {
  previewPayoutBatch: 'showNewPayoutBatch',
  respondToInvitation: 'showPrograms',
};

/** Fields whose control is not there for what this account has, each with the reason. */
const notShownNow: Readonly<Record<string, string>> = {
  'changeProgram.allowSelfReferral': 'Forms of earlier versions had it in place of selfReferral',
  'editCoupon.amountOff': 'A coupon keeps its type, and this one is a percentage',
  'editSale.totalEarned': 'A payout batch holds the sale',
  'editSale.commissionRate': 'A payout batch holds the sale',
  'sendWebhookTest.eventType': 'The endpoint is off',
  'planUpload.etag': 'The import of this account has no file',
  'erasePerson.confirmation': 'The page of a person who was found has it',
  '*.chosenAffiliate': 'It is offered where a name fits several affiliates',
};

const formPageOf = ({ id, path }: (typeof pages)[number]) => {
  const other = shownOn[id];
  const above = path.replace(/\/[^/{}]+$/, '');
  const page = other
    ? shownPages.find((one) => one.id === other)
    : [path, above].flatMap((at) => shownPages.find((one) => one.path === at) ?? [])[0];
  if (!page) throw new Error(`Name the page that shows the form of ${id}`);
  return page;
};

/** Below two empty rows, or the one rule of the world's group and two. */
const isFurtherRow = (name: string): boolean => /^\w+\.([2-9]|\d\d)\./.test(name);

const forms = actions.flatMap((action: WebPage & (typeof pages)[number]) => {
  const fields = Object.keys(action.form?.shape ?? {}).filter(
    (name) => !isFurtherRow(name) && !(`${action.id}.${name}` in notShownNow || `*.${name}` in notShownNow),
  );
  return fields.length > 0 ? [{ id: action.id, action, fields }] : [];
});

it.each(forms)('the form of $id has a control of the name of each of its fields', async ({ action, fields }) => {
  const page = formPageOf(action);
  const { text } = await visitOnce(page, isForSignedOut(page) ? 'anyone' : 'owner');
  expect(fields.filter((name) => !text.includes(` name="${name}"`))).toEqual([]);
});

it('a refusal says as text what it was sent', async () => {
  const script = encodeURIComponent("<script>alert('x')</script>");
  for (const address of [
    `/programs/new?${script}=1&${script}=2`,
    `/programs/${script}`,
    `/sign-in/callback?error=${script}&error_description=${script}`,
    `/connect/${script}/choose-affiliate-program?redirect_uri=${script}&state=${script}`,
  ]) {
    const { status, text } = await mine.browser.visit(address);
    expect(status, address).toBeGreaterThanOrEqual(400);
    expect(text).toContain('<h1>');
    expect(text.replace(ownScript, '')).not.toContain('<script');
  }
  const form = { name: '<script>', currency: 'EUR', commissionRate: '1', "<script>alert('x')</script>": '1' };
  const { text } = await mine.browser.submit('/programs/new', form);
  expect(text).toContain('is not a known field');
  expect(text.replace(ownScript, '')).not.toContain('<script');
});

describe.each(shownPages.filter(({ auth }) => auth === 'session'))('$path', (page) => {
  it('asks who is not signed in to do so', async () => {
    const { status, location } = await visitOnce(page, 'anyone');
    expect([status, location?.pathname]).toEqual([303, '/sign-in']);
  });
});

describe.each(shownPages.filter(({ auth }) => auth === 'affiliate'))('$path', (page) => {
  it('asks who is not signed in to the portal to do so, a member too', async () => {
    const member = openBrowser();
    const session = mine.browser.cookies.get(new URL(appUrl()).hostname)?.get('session') ?? '';
    const { address } = requestOf(page, mine);
    const asMember = await member.visit(address, { headers: { cookie: `session=${session}` } });
    for (const { status, location } of [await visitOnce(page, 'anyone'), asMember])
      expect([status, location?.pathname]).toEqual([303, `/portal/${mine.handle}`]);
  });
});

describe.each(actions.filter(({ auth }) => auth !== 'none'))('$method $path', (page) => {
  it('is refused without a session', async () => {
    const { address, form } = requestOf(page, mine);
    const { status, text } = await openBrowser().post(address, { ...form, csrfToken: 'x' });
    expect(status).toBe(403);
    expect(text).toContain('Your session has ended');
  });
});

describe.each(actions)('$method $path', (page) => {
  it("is refused without its session's CSRF token, or by a form of another site", async () => {
    const { address, form } = requestOf(page, mine);
    const foreignAddress = requestOf(page, theirs).address;
    const [own, foreign] = await Promise.all([
      mine.browser.csrfToken(address),
      theirs.browser.csrfToken(foreignAddress),
    ]);
    const submit = (csrfToken: string, headers?: Record<string, string>) =>
      mine.browser.post(address, { ...form, csrfToken }, headers);
    const attempts = [
      () => visitOnce(page, 'owner'),
      () => submit(foreign),
      () => submit(own, { origin: 'https://evil.example' }),
      () => submit(''),
      () => submit(`${own}x`),
      () => submit(own, { origin: 'null' }),
      () => submit(own, { 'sec-fetch-site': 'cross-site' }),
    ];
    // The first three at every form; of the others, which the same code refuses, one here and another at the next form.
    const some = attempts.filter((_, at) => at < 3 || at % 4 === actions.indexOf(page) % 4);
    const refused = await Promise.all(some.map((attempt) => attempt()));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
    expect((await mine.browser.visit(`${address}?csrfToken=${own}`, { method: 'POST' })).status).toBe(415);
  });
});

const ask = (page: WebPage, world: WebWorld): Promise<Visit> => {
  const { address, form } = requestOf(page, world);
  return page.method === 'GET' ? mine.browser.visit(address) : mine.browser.submit(address, form);
};

describe.each(pages.filter(({ path }) => path.includes('{programId}')))('$method $path', (page) => {
  it("treats another account's program like one that does not exist", async () => {
    const [foreign, none] = [await ask(page, theirs), await ask(page, { ...theirs, programId: randomUUID() })];
    expect(foreign.status).toBe(404);
    expect([none.status, none.text]).toEqual([foreign.status, foreign.text]);
  });
});

describe.each(pages.filter(({ auth }) => auth === 'affiliate'))('$method $path', (page) => {
  it('shows and does nothing in the portal of another program', async () => {
    const { address, form } = requestOf(page, theirs);
    const own = await mine.browser.csrfToken(requestOf(page, mine).address);
    const { status, location } =
      page.method === 'GET'
        ? await mine.browser.visit(address)
        : await mine.browser.post(address, { ...form, csrfToken: own });
    expect([status, location?.pathname]).toEqual(
      page.method === 'GET' ? [303, `/portal/${theirs.handle}`] : [403, undefined],
    );
  });
});

describe.each(
  pages.flatMap((page) =>
    [...page.path.matchAll(/\{(\w+Id)\}/g)].flatMap(([, name]) => (name === 'programId' ? [] : [{ ...page, name }])),
  ),
)('$method $path', ({ name, ...page }) => {
  it(`responds with 404 to a ${name} of another program, or none`, async () => {
    for (const id of [theirs.ids[name as keyof WebWorld['ids']], 'x'.repeat(1100)]) {
      const { status } = await ask(page, { ...mine, ids: { ...mine.ids, [name as string]: id } });
      expect(status).toBe(404);
    }
  });
});

// The last one: it is about all requests above.
it('nothing that was refused has changed anything of either account', async () =>
  expect(await states()).toEqual(before));
