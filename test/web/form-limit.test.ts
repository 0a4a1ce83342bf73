import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { handler as settings } from '../../functions/web-programs.ts';
import { bounds } from '../../shared/contract/bounds.ts';
import { listApiKeys } from '../../shared/domain/programs/api-keys.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { readSession, startSession } from '../../shared/web/session/session.ts';
import { freshEmail } from '../support/browser.ts';
import '../support/program.ts';

// The stack under test takes forms without a limit: here the function itself runs with the one that is deployed.
beforeAll(() => {
  vi.stubEnv('APP_URL', 'https://app.example');
  vi.stubEnv('SESSIONS_SECRET_ARN', process.env.KEY_COPIES_SECRET_ARN);
  vi.stubEnv('FORM_LIMIT', String(bounds.formsPerMinute));
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Somebody with a program, and the form that changes the program's settings. */
const makeOwner = async () => {
  const email = freshEmail();
  const now = new Date();
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: email }, now);
  const cookie = (await startSession(email, now)).split(';')[0] ?? '';
  const session = await readSession(cookie.slice(cookie.indexOf('=') + 1), now);
  const send = (name: string, target = programId) =>
    settings(
      {
        routeKey: 'ANY /programs/{programId}/settings/{page+}',
        rawPath: `/programs/${target}/settings/advanced/api-keys`,
        rawQueryString: '',
        pathParameters: { programId: target, page: 'advanced/api-keys' },
        cookies: [cookie],
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrfToken: session?.csrfToken ?? '', name }).toString(),
        requestContext: { requestId: 'x', http: { method: 'POST', path: `/programs/${target}` } },
      } as unknown as Parameters<typeof settings>[0],
      {} as Context,
    );
  return { programId, send };
};

it('an account may send so many forms a minute, however they come; then a page says when to go on', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 + 10_000 });
  const [owner, other] = await Promise.all([makeOwner(), makeOwner()]);
  // Names that are refused: each of them counts, and makes nothing.
  const responses = await Promise.all(Array.from({ length: bounds.formsPerMinute + 10 }, () => owner.send(' ')));
  const statuses = responses.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 400).length).toBe(bounds.formsPerMinute);
  const limited = responses.filter(({ statusCode }) => statusCode === 429);
  expect(limited.length).toBe(10);
  expect(limited[0]?.headers?.['retry-after']).toBe('65');
  expect(limited[0]?.body).toContain('<h1>Too many requests</h1>');
  expect(limited[0]?.body).toContain('Wait 65 seconds');
  // A refusal tells nothing of a program of another account.
  const foreign = await owner.send('Another', other.programId);
  expect(foreign.statusCode).toBe(429);
  expect([limited[0]?.body?.includes('Shop'), foreign.body?.includes('Shop')]).toEqual([true, false]);
  expect((await owner.send('Another')).statusCode).toBe(429);
  expect((await listApiKeys(owner.programId)).length).toBe(1);
  // Nobody else is limited by that, and the next minute of the clock does not reset the count.
  expect((await other.send('Another')).statusCode).toBe(303);
  vi.setSystemTime(Date.now() + 59_000);
  expect((await owner.send('Another')).statusCode).toBe(429);
  vi.setSystemTime(Date.now() + 6_000);
  expect((await owner.send('Another')).statusCode).toBe(303);
});
