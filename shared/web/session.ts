import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Account } from '../domain/programs/accounts.ts';
import { isSessionEnded } from '../domain/programs/ended-sessions.ts';
import { openForeign, sealForeign } from '../platform/secrets/seal.ts';
import { setCookie } from './cookies.ts';

/** Who is signed in, since when, and the token that this session's forms carry. All of it is in the cookie. */
const Session = z.object({
  id: z.string(),
  email: z.string(),
  csrfToken: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
});
export type Session = z.output<typeof Session>;

/** A session ends this long after the sign-in, however much it is used. */
const sessionSeconds = 12 * 60 * 60;

/** When a session ends by itself, in milliseconds since the epoch. */
export const endOfSession = ({ startedAt }: Session): number => startedAt + sessionSeconds * 1000;

/**
 * The session that a cookie holds; undefined when there is none, or it was altered or has expired. Whether it was ended
 * before, only its account tells: `isSignedIn`.
 */
export const readSession = async (cookie: string | undefined, now: Date): Promise<Session | undefined> => {
  const text = cookie && (await openForeign('sessions', cookie, 'session'));
  if (!text) return undefined;
  const session = Session.safeParse(JSON.parse(text));
  return session.success && endOfSession(session.data) > now.getTime() ? session.data : undefined;
};

/** Whether a session still holds for its account: nobody signed out of it, or out of every session since it began. */
export const isSignedIn = (session: Session, account: Account | undefined): account is Account =>
  account !== undefined && !isSessionEnded(account, session);

/** The cookie of a new session. */
export const startSession = async (email: string, now: Date): Promise<string> => {
  const session: Session = {
    id: randomBytes(12).toString('base64url'),
    email,
    csrfToken: randomBytes(24).toString('base64url'),
    startedAt: now.getTime(),
  };
  return setCookie('session', await sealForeign('sessions', JSON.stringify(session), 'session'), sessionSeconds);
};

/** True when a form carries the token of this very session. */
export const isCsrfTokenOf = ({ csrfToken }: Session, given: string | undefined): boolean => {
  const expected = Buffer.from(csrfToken);
  const actual = Buffer.from(given ?? '');
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
