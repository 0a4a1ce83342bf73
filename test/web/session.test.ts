import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { handler } from '../../functions/web-programs.ts';
import { securityHeaders } from '../../shared/web/security-headers.ts';
import { setCookie } from '../../shared/web/session/cookies.ts';
import { readReturn, signInPath } from '../../shared/web/session/pending-sign-in.ts';
import { isCsrfTokenOf, readSession, startSession } from '../../shared/web/session/session.ts';
import '../support/program.ts';

// As when deployed: by https, with a secret of its own.
beforeAll(() => {
  vi.stubEnv('APP_URL', 'https://app.example');
  vi.stubEnv('SESSIONS_SECRET_ARN', process.env.KEY_COPIES_SECRET_ARN);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const textOf = (cookie: string): string => /^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '';
const after = (start: Date, seconds: number) => new Date(start.getTime() + seconds * 1000);

it('a session ends twelve hours after the sign-in, whatever the browser keeps', async () => {
  const now = new Date();
  const cookie = textOf(await startSession('a@example.com', now));
  expect((await readSession(cookie, after(now, 12 * 60 * 60 - 1)))?.email).toBe('a@example.com');
  expect(await readSession(cookie, after(now, 12 * 60 * 60))).toBeUndefined();
});

it('two sessions of one person have different CSRF tokens', async () => {
  const now = new Date();
  const [one, other] = await Promise.all(
    [1, 2].map(async () => readSession(textOf(await startSession('a@example.com', now)), now)),
  );
  if (!one || !other) throw new Error('There is no session');
  expect(isCsrfTokenOf(one, one.csrfToken)).toBe(true);
  expect(isCsrfTokenOf(one, other.csrfToken)).toBe(false);
  expect(isCsrfTokenOf(one, undefined)).toBe(false);
});

it('the session tells nobody whose it is, and fits into a cookie', async () => {
  const cookie = await startSession(`${'a'.repeat(242)}@example.com`, new Date());
  expect(Buffer.from(textOf(cookie), 'base64').toString('latin1')).not.toContain('example.com');
  expect(cookie.length).toBeLessThan(4096);
});

const returnToOf = (address: string) =>
  new URL(address, 'https://app.example').searchParams.get('returnTo') ?? undefined;

it('the page that is wanted goes with the sign-in, encrypted, unless it is too long for an address', async () => {
  const path = `/connect/automation/choose-affiliate-program?state=${'x'.repeat(2500)}`;
  const address = await signInPath(path);
  expect(address.length).toBeLessThan(4096);
  expect(await readReturn(returnToOf(address))).toBe(path);
  expect(await signInPath(`${path}${'x'.repeat(200)}`)).toBe('/sign-in');
  const encrypted = returnToOf(address) ?? '';
  for (const forged of [`${encrypted.slice(0, -2)}AA`, path, '//evil.example/', '', undefined])
    expect(await readReturn(forged)).toBe('/programs');
});

it.each(['..//evil.example/', '..//evil.example/?a=b', '../\\evil.example', '..///evil.example', '..\t//evil.example'])(
  'what is wanted after a sign-in is here, also where a gateway has decoded the path to /programs/%j',
  async (wanted) => {
    const [, path = '', query = ''] = /^([^?]*)\??(.*)$/.exec(wanted) ?? [];
    const event = {
      routeKey: 'GET /programs/{programId}',
      rawPath: `/programs/${path}`,
      rawQueryString: query,
      pathParameters: { programId: path },
      headers: {},
      requestContext: { requestId: 'x', http: { method: 'GET', path: `/programs/${path}` } },
    } as unknown as Parameters<typeof handler>[0];
    const { headers } = await handler(event, {} as Context);
    const remembered = await readReturn(returnToOf(String(headers?.location)));
    expect(remembered).not.toBe('/programs');
    expect(new URL(remembered, 'https://app.example').host).toBe('app.example');
  },
);

it('by https, cookies are bound to the host and to https, and browsers are told to stay with it', () => {
  expect(setCookie('session', 'x', 60)).toMatch(/^__Host-session=x; Path=\/; .*; Secure$/);
  expect(setCookie('session', 'x', 60)).not.toContain('Domain');
  expect(securityHeaders()['strict-transport-security']).toMatch(/max-age=\d{8}/);
});
