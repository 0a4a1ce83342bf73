import { randomUUID } from 'node:crypto';
import { requireRecord } from '../../shared/contract/errors.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { startPortalSession } from '../../shared/domain/portal/portal-sessions.ts';
import { emailHashOf } from '../../shared/domain/portal/sign-in-link.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { portalPath } from '../../shared/web/pages/portal-path.ts';
import { newPortalCookie } from '../../shared/web/session/portal-session.ts';
import { appUrl, sendToPage } from './pages.ts';

// Pages of the affiliates' portal in the process of the test, without a stack. Tests stub the environment of pages.

/** The cookie of a session that has begun. */
export const startedPortalCookie = async (
  programId: string,
  affiliateId: string,
  now = new Date(),
  isFramed = false,
): Promise<string> => {
  const affiliate = requireRecord(await affiliates.get(programId, affiliateId), 'Affiliate');
  const session = { id: randomUUID(), programId, affiliateId, emailHash: emailHashOf(affiliate) };
  await startPortalSession(session, now);
  return (await newPortalCookie(session, { path: '/portal', isFramed }, now)).split(';')[0] ?? '';
};

const csrfTokenIn = (html: string): string => /name="csrfToken" value="([^"]+)"/.exec(html)?.[1] ?? '';

const formOf = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
  headers: { origin: appUrl, 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(fields).toString(),
});

/** A browser in a portal, which keeps the portal's cookie, if it has one. Paths are below that of the portal. */
export const portalBrowser = (program: StoredProgram, given = '') => {
  let cookie = given;
  const send = async (method: 'GET' | 'POST', path: string, more: Parameters<typeof sendToPage>[3]) => {
    const response = await sendToPage(method, `${portalPath(program)}${path}`, cookie, more);
    for (const set of response.cookies) {
      const [pair = '', ...attributes] = set.split('; ');
      cookie = attributes.includes('Max-Age=0') ? '' : pair;
    }
    return response;
  };
  const visit = (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers });
  /** Without a CSRF token, which a form of somebody who is not signed in has not. */
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send('POST', path, formOf(fields, headers));
  return {
    cookie: () => cookie,
    visit,
    post,
    /** From an address of its own. */
    postFrom: (sourceIp: string, path: string, fields: Record<string, string>) =>
      send('POST', path, { ...formOf(fields), sourceIp }),
    submit: async (path: string, fields: Record<string, string> = {}) =>
      post(path, { ...fields, csrfToken: csrfTokenIn((await visit('/profile')).text) }),
  };
};
