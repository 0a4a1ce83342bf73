import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { open, seal } from '../secrets/seal.ts';
import { type CookieName, endCookie, type SignInCookie, setCookie, signInCookies } from './cookies.ts';

/** Who is signed in, for how long, and the token that this session's forms carry. All of it is in the cookie. */
const Session = z.object({
  kind: z.literal('session'),
  email: z.string(),
  csrfToken: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
});
export type Session = z.output<typeof Session>;

/** A session ends this long after the sign-in, however much it is used. */
const sessionSeconds = 12 * 60 * 60;

/** What a sign-in that is under way must find again when the browser comes back, and for how long it may take. */
const PendingSignIn = z.object({
  kind: z.literal('sign-in'),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** The path and query to go to afterwards. */
  returnTo: z.string(),
  expiresAt: z.number(),
});
type PendingSignIn = z.output<typeof PendingSignIn>;

const ReturnTo = z.object({ kind: z.literal('return-to'), path: z.string(), expiresAt: z.number() });
const pendingSeconds = 10 * 60;

/** A browser keeps a cookie of 4,096 bytes; what is encrypted grows by a third. */
const mostReturnToBytes = 2600;

const opened = async <Value extends { expiresAt: number }>(
  schema: z.ZodType<Value>,
  cookie: string | undefined,
  now: Date,
): Promise<Value | undefined> => {
  const text = cookie && (await open('sessions', cookie, 'cookie'));
  if (!text) return undefined;
  // A cookie of another kind is encrypted with the same key.
  const value = schema.safeParse(JSON.parse(text));
  return value.success && value.data.expiresAt > now.getTime() ? value.data : undefined;
};

/** The session of a cookie; undefined when there is none, or it was altered or has expired. Decisions, section 7. */
export const readSession = (cookie: string | undefined, now: Date): Promise<Session | undefined> =>
  opened(Session, cookie, now);

/** The cookie of a new session. */
export const startSession = async (email: string, now: Date): Promise<string> => {
  const expiresAt = now.getTime() + sessionSeconds * 1000;
  const session: Session = { kind: 'session', email, csrfToken: randomBytes(24).toString('base64url'), expiresAt };
  return setCookie('session', await seal('sessions', JSON.stringify(session), 'cookie'), sessionSeconds);
};

/** True when a form carries the token of this very session. */
export const isCsrfTokenOf = ({ csrfToken }: Session, given: string | undefined): boolean => {
  const expected = Buffer.from(csrfToken);
  const actual = Buffer.from(given ?? '');
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};

type ReadCookie = (name: CookieName) => string | undefined;

/** The sign-ins that a browser has under way, each with the name of its cookie. */
const pendingSignIns = async (cookie: ReadCookie, now: Date): Promise<(PendingSignIn & { name: SignInCookie })[]> => {
  const all = await Promise.all(
    signInCookies.map(async (name) => {
      const pending = await opened(PendingSignIn, cookie(name), now);
      return pending && { ...pending, name };
    }),
  );
  return all.filter((pending) => pending !== undefined);
};

/** The cookie that remembers a sign-in that begins, beside those of other tabs; it takes the place of the oldest. */
export const rememberSignIn = async (
  cookie: ReadCookie,
  begun: Omit<PendingSignIn, 'kind' | 'expiresAt'>,
  now: Date,
): Promise<string> => {
  const others = (await pendingSignIns(cookie, now)).sort((one, other) => one.expiresAt - other.expiresAt);
  const free = signInCookies.find((name) => others.every((other) => other.name !== name));
  const value: PendingSignIn = { kind: 'sign-in', ...begun, expiresAt: now.getTime() + pendingSeconds * 1000 };
  const name = free ?? others[0]?.name ?? signInCookies[0];
  return setCookie(name, await seal('sessions', JSON.stringify(value), 'cookie'), pendingSeconds);
};

/** The sign-in with that state, and the name of its cookie; undefined when this browser has none under way. */
export const findPendingSignIn = async (
  cookie: ReadCookie,
  state: string | null,
  now: Date,
): Promise<(PendingSignIn & { name: SignInCookie }) | undefined> =>
  (await pendingSignIns(cookie, now)).find((pending) => pending.state === state);

/** Whether a path and query is short enough to come back to after a sign-in. */
export const canBeRemembered = (path: string): boolean => Buffer.byteLength(path) <= mostReturnToBytes;

/**
 * The cookie that remembers the page of ours that somebody wanted before the sign-in. It is encrypted, so that nobody
 * else can choose where a sign-in leads. Forgets instead what is too long to remember.
 */
export const rememberReturn = async (path: string, now: Date): Promise<string> => {
  if (!canBeRemembered(path)) return endCookie('return-to');
  const expiresAt = now.getTime() + pendingSeconds * 1000;
  return setCookie(
    'return-to',
    await seal('sessions', JSON.stringify({ kind: 'return-to', path, expiresAt }), 'cookie'),
  );
};

/** The path that a cookie remembers, or undefined. */
export const readReturn = async (cookie: string | undefined, now: Date): Promise<string | undefined> =>
  (await opened(ReturnTo, cookie, now))?.path;
