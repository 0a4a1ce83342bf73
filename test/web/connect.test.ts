import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { exchange } from '../connector/platform.ts';
import { appUrl, type Browser, fillInSignIn, freshEmail, openBrowser, signedIn } from '../support/browser.ts';
import { apiWith } from '../support/program.ts';

const path = '/connect/automation/choose-affiliate-program';
const platform = 'http://127.0.0.1:4711/oauth/return';

let browser: Browser;
let email: string;
let programId: string;
let otherProgramId: string;
beforeAll(async () => {
  email = freshEmail();
  const now = new Date();
  [{ programId }, { programId: otherProgramId }] = await Promise.all([
    createProgram({ name: 'First <b>shop</b>', ownerEmail: email }, now),
    createProgram({ name: 'Second shop', ownerEmail: email }, now),
  ]);
  browser = await signedIn(email);
});

const addressOf = (query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
const asked = (state = 'a state') => addressOf({ redirect_uri: platform, state });
const confirm = ({ state = 'a state', chosen = programId } = {}) => browser.submit(asked(state), { programId: chosen });

describe('the authorization page', () => {
  it('asks for a sign-in and comes back with the same parameters', async () => {
    const visitor = openBrowser();
    const state = 'ä/+ &=?#%41"';
    const arrived = await fillInSignIn(visitor, await visitor.follow(asked(state)), email);
    expect(arrived.url.href).toBe(`${appUrl()}${asked(state)}`);
    expect(arrived.text).toContain('Choose an affiliate program');
  });

  it("names the platform's host and every program of the account", async () => {
    const { text, headers } = await browser.visit(asked());
    expect(text).toContain('127.0.0.1:4711');
    expect(text).toContain('First &lt;b>shop&lt;/b>');
    expect(text).toContain('Second shop');
    const [, targets] = /form-action ([^;]*);/.exec(headers.get('content-security-policy') ?? '') ?? [];
    const signIn = (await openBrowser().visit('/sign-in')).location?.origin;
    expect(targets).toBe(`'self' ${signIn} http://127.0.0.1:4711`);
  });

  const refused = [
    {},
    { state: 'x' },
    { redirect_uri: platform },
    { redirect_uri: '', state: 'x' },
    { redirect_uri: platform, state: '' },
    ...[
      'https://evil.example/',
      'https://localhost.evil.example/',
      'https://localhost%2eevil.example/',
      'https:evil.example/',
      '///evil.example/',
      'https://localhost@evil.example/',
      'https://evil.example\\@localhost/',
      'https://user:password@localhost/',
      'https://@localhost/',
      'http://evil.example/',
      'http://localhost.:80/',
      '//localhost/',
      '/programs',
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://localhost/',
      `${platform}?a=b`,
      `${platform}?`,
      `${platform}#`,
      `${platform}#a`,
      ` ${platform}`,
      `${platform}\n`,
      'http://127.0.0.1\t:80/',
      'http://10.0.0.1/',
      `${platform}/${'x'.repeat(1000)}`,
    ].map((redirect_uri) => ({ redirect_uri, state: 'x' })),
  ];

  it.each(refused)('refuses %o with a page, signed in or not, and never redirects', async (query) => {
    for (const visitor of [browser, openBrowser()]) {
      const { status, location, text } = await visitor.visit(addressOf(query as Record<string, string>));
      expect([status, location]).toEqual([400, undefined]);
      expect(text).toMatch(/redirect_uri|state/);
    }
    const posted = await browser.submit(addressOf(query as Record<string, string>), { programId });
    expect([posted.status, posted.location]).toEqual([400, undefined]);
  });

  it('refuses what a sign-in could not come back to, signed in or not', async () => {
    for (const visitor of [browser, openBrowser()]) {
      const { status, location, text } = await visitor.visit(asked('日'.repeat(300)));
      expect([status, location]).toEqual([400, undefined]);
      expect(text).toContain('too long for a sign-in');
    }
  });

  it('says so where the plan of the account has no API access', async () => {
    const free = await signedIn();
    await free.submit('/programs/new', { name: 'Without access', currency: 'EUR', commissionRate: '1' });
    const shown = (await free.visit(asked())).text;
    expect(shown).toContain('FREE plan');
    expect(shown).not.toContain('name="programId"');
    expect((await browser.visit(asked())).text).not.toContain('FREE plan');
  });

  it('refuses a parameter that is given twice', async () => {
    const { status, location } = await openBrowser().visit(`${asked()}&redirect_uri=https://evil.example/`);
    expect([status, location]).toEqual([400, undefined]);
  });

  it('shows the state of a platform as text', async () => {
    const { status, text } = await browser.visit(asked(`"><script>alert('x')</script>`));
    expect(status).toBe(200);
    expect(text).not.toContain('<script>');
  });

  it('takes no notice of what else platforms send', async () => {
    expect((await browser.visit(`${asked()}&client_id=x&response_type=code&scope=a`)).status).toBe(200);
  });

  it('is at the address of the deployed platform alone', async () => {
    expect((await browser.visit(asked().replace('automation', 'another'))).status).toBe(404);
  });
});

describe('the confirmation', () => {
  it('sends the token of the chosen program and the state, unchanged, to the platform', async () => {
    const state = ' ä/+ &=?#%41"<\u{1F600}\'\na\r\nb\t ';
    const { status, location, headers } = await confirm({ state, chosen: otherProgramId });
    expect(status).toBe(303);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(location?.href.startsWith(`${platform}?code=`)).toBe(true);
    expect([...(location?.searchParams.keys() ?? [])]).toEqual(['code', 'state']);
    expect(location?.searchParams.get('state')).toBe(state);
    const { body } = await exchange(`code=${location?.searchParams.get('code')}`);
    const response = await apiWith(body.access_token).get('/program');
    expect(response.body.id).toBe(otherProgramId);
  });

  it('sends the same token again on a reconnection', async () => {
    const codes = await Promise.all([confirm(), confirm(), confirm()]);
    const tokens = new Set(codes.map(({ location }) => location?.searchParams.get('code')));
    expect(tokens.size).toBe(1);
    expect((await confirm()).location?.searchParams.get('code')).toBe([...tokens][0]);
  });

  it('sends the same token to another platform, and the program names both', async () => {
    const ownerEmail = freshEmail();
    const { programId: chosen } = await createProgram({ name: 'Two platforms', ownerEmail }, new Date());
    const owner = await signedIn(ownerEmail);
    const platforms = [platform, 'https://localhost/return'];
    const tokens: (string | null | undefined)[] = [];
    for (const redirect_uri of platforms) {
      const { location } = await owner.submit(addressOf({ redirect_uri, state: 'x' }), { programId: chosen });
      tokens.push(location?.searchParams.get('code'));
    }
    expect(tokens).toEqual([expect.any(String), tokens[0]]);
    const { text } = await owner.visit(`/programs/${chosen}/settings/connected-apps`);
    for (const redirect_uri of platforms) expect(text).toContain(new URL(redirect_uri).host);
  });

  it("does not connect another account's program, or none", async () => {
    const { programId: foreign } = await createProgram({ name: 'Theirs', ownerEmail: freshEmail() }, new Date());
    expect((await confirm({ chosen: foreign })).status).toBe(404);
    expect((await confirm({ chosen: 'x' })).status).toBe(400);
    expect((await confirm({ chosen: '' })).status).toBe(400);
  });
});
