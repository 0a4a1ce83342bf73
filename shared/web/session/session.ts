import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Account } from '../../domain/programs/accounts.ts';
import { isSessionEnded } from '../../domain/programs/ended-sessions.ts';
import { decryptFromClient, encryptForClient } from '../../platform/secrets/encryption.ts';
import { setCookie } from './cookies.ts';

/** The whole session is in the encrypted cookie. */
const Session = z.object({
  id: z.string(),
  email: z.string(),
  csrfToken: z.string(),
  startedAt: z.number(),
});
export type Session = z.output<typeof Session>;

/** A form says whose it is by its CSRF token, also after the session. */
const formOwner = 'form-owner';

const sessionSeconds = 12 * 60 * 60;

/** Milliseconds since the epoch. */
export const endOfSession = ({ startedAt }: Session): number => startedAt + sessionSeconds * 1000;

/** Undefined if missing, altered or expired. `isSignedIn` tells whether it was ended. */
export const readSession = async (cookie: string | undefined, now: Date): Promise<Session | undefined> => {
  const text = cookie && (await decryptFromClient('sessions', cookie, 'session'));
  if (!text) return undefined;
  const session = Session.safeParse(JSON.parse(text));
  return session.success && endOfSession(session.data) > now.getTime() ? session.data : undefined;
};

export const isSignedIn = (session: Session, account: Account | undefined): account is Account =>
  account !== undefined && !isSessionEnded(account, session);

export const startSession = async (email: string, now: Date): Promise<string> => {
  const session: Session = {
    id: randomBytes(12).toString('base64url'),
    email,
    csrfToken: `${randomBytes(24).toString('base64url')}.${await encryptForClient('sessions', email, formOwner)}`,
    startedAt: now.getTime(),
  };
  return setCookie('session', await encryptForClient('sessions', JSON.stringify(session), 'session'), sessionSeconds);
};

/** Whether a form was shown to that person in an earlier session. */
export const isEarlierFormOf = async (email: string, csrfToken = ''): Promise<boolean> => {
  const owner = csrfToken.slice(csrfToken.indexOf('.') + 1);
  return (await decryptFromClient('sessions', owner, formOwner)) === email;
};

export const isCsrfTokenOf = ({ csrfToken }: Pick<Session, 'csrfToken'>, given: string | undefined): boolean => {
  const expected = Buffer.from(csrfToken);
  const actual = Buffer.from(given ?? '');
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
