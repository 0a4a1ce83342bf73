import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { portalSessionSeconds } from '../../domain/portal/portal-sessions.ts';
import { decryptFromClient, encryptForClient } from '../../platform/secrets/encryption.ts';
import { appUrl } from './app-url.ts';

/** Sessions of affiliates, apart from those of members: another cookie, another context of encryption, another path. */

/** Whether it has ended is in the table. */
const PortalSession = z.object({
  id: z.string(),
  programId: z.string(),
  affiliateId: z.string(),
  emailHash: z.string(),
  csrfToken: z.string(),
  startedAt: z.number(),
});
export type PortalSession = z.output<typeof PortalSession>;

const isSecure = (): boolean => appUrl().protocol === 'https:';

/** Where a browser keeps a session: that of one portal and that of a page that embeds it are not those of any other. */
export interface PortalCookiePlace {
  path: string;
  isFramed: boolean;
}

/** `__Host-` would ask for the path `/`, on which members' pages would get it too. An embedding page of our own site sends both names. */
const cookieName = (isFramed: boolean): string => `${isSecure() ? '__Secure-' : ''}portal${isFramed ? '-framed' : ''}`;

/** In a frame of another site browsers keep it apart for each embedding site. docs/behavior.md#embedding-the-portal */
const portalCookie = (value: string, { path, isFramed }: PortalCookiePlace): string =>
  [
    `${cookieName(isFramed)}=${value}`,
    `Path=${path}`,
    `Max-Age=${value ? portalSessionSeconds : 0}`,
    'HttpOnly',
    ...(isFramed ? ['SameSite=None', 'Secure', 'Partitioned'] : ['SameSite=Lax', ...(isSecure() ? ['Secure'] : [])]),
  ].join('; ');

export const endPortalCookie = (place: PortalCookiePlace): string => portalCookie('', place);

interface Received {
  cookies?: string[] | undefined;
  headers: Record<string, string | undefined>;
}

/** Browsers say so with every request of a page. */
export const isFramed = ({ headers }: Pick<Received, 'headers'>): boolean => headers['sec-fetch-dest'] === 'iframe';

/** Undefined if missing, altered or expired. */
export const readPortalSession = async (
  { cookies, headers }: Received,
  now: Date,
): Promise<PortalSession | undefined> => {
  const all = cookies ?? headers.cookie?.split(/; */) ?? [];
  const start = `${cookieName(isFramed({ headers }))}=`;
  const value = all.find((cookie) => cookie.startsWith(start))?.slice(start.length);
  const text = value && (await decryptFromClient('sessions', value, 'portal-session'));
  if (!text) return undefined;
  const session = PortalSession.parse(JSON.parse(text));
  return session.startedAt + portalSessionSeconds * 1000 > now.getTime() ? session : undefined;
};

/** A new cookie, whatever the browser had before, so that nobody can have chosen it. */
export const newPortalCookie = async (
  { id, programId, affiliateId, emailHash }: Pick<PortalSession, 'id' | 'programId' | 'affiliateId' | 'emailHash'>,
  place: PortalCookiePlace,
  now: Date,
): Promise<string> => {
  const csrfToken = randomBytes(24).toString('base64url');
  const session: PortalSession = { id, programId, affiliateId, emailHash, csrfToken, startedAt: now.getTime() };
  return portalCookie(await encryptForClient('sessions', JSON.stringify(session), 'portal-session'), place);
};
