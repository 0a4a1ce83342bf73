import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { bounds } from '../contract/bounds.ts';
import { decryptFromClient, encryptForClient } from '../platform/secrets/encryption.ts';
import { getItem, putOnce } from '../platform/table/items.ts';
import { endCookie, type SignInCookie, setCookie } from './cookies.ts';

/** One random value per tab derives all checks: tabs do not collide, and many cookies fit 10,240 bytes of headers. */

export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

const signInSeconds = 10 * 60;
const defaultReturn = '/programs';

/** Encryption adds a third, and it travels in a header. */
const maxReturnBytes = 2600;

const derived = (value: string, purpose: string): string =>
  createHmac('sha256', value).update(purpose).digest('base64url');

const checksOf = (value: string): SignInChecks => ({
  state: derived(value, 'state'),
  nonce: derived(value, 'nonce'),
  codeVerifier: derived(value, 'code verifier'),
});

const cookieOf = (state: string): SignInCookie => `sign-in-${state.slice(0, 8)}`;
const isSignInCookie = (name: string): name is SignInCookie => name.startsWith('sign-in-');

const returnKey = (state: string) => ({ pk: `SIGN_IN#${state}`, sk: 'RETURN' });
const StoredReturn = z.object({ path: z.string(), ttl: z.number() });

export const canBeRemembered = (path: string): boolean => Buffer.byteLength(path) <= maxReturnBytes;

/** The return path is encrypted, so that nobody else can choose it; one that is too long is dropped. */
export const signInPath = async (path: string, prompt?: 'login'): Promise<string> => {
  const query = new URLSearchParams({
    ...(prompt && { prompt }),
    ...(canBeRemembered(path) && { returnTo: await encryptForClient('sessions', path, 'return-to') }),
  });
  return query.size > 0 ? `/sign-in?${query}` : '/sign-in';
};

export const readReturn = async (encrypted: string | undefined): Promise<string> =>
  (encrypted && (await decryptFromClient('sessions', encrypted, 'return-to'))) || defaultReturn;

export const rememberSignIn = async (
  cookies: ReadonlyMap<string, string>,
  returnTo: string,
  now: Date,
): Promise<{ checks: SignInChecks; cookies: string[] }> => {
  const value = randomBytes(32).toString('base64url');
  const checks = checksOf(value);
  if (returnTo !== defaultReturn) {
    const Item = { ...returnKey(checks.state), path: returnTo, ttl: Math.ceil(now.getTime() / 1000) + signInSeconds };
    await putOnce('traffic', Item);
  }
  const others = [...cookies.keys()].filter(isSignInCookie);
  const tooMany = others.slice(0, Math.max(0, others.length + 1 - bounds.signInsOfBrowser));
  return { checks, cookies: [...tooMany.map(endCookie), setCookie(cookieOf(checks.state), value, signInSeconds)] };
};

export const findSignIn = (
  cookies: ReadonlyMap<string, string>,
  state: string | null,
): { checks: SignInChecks; cookie: SignInCookie } | undefined => {
  const cookie = cookieOf(state ?? '');
  const value = cookies.get(cookie);
  const checks = value === undefined ? undefined : checksOf(value);
  return checks?.state === state ? { checks, cookie } : undefined;
};

export const returnOf = async ({ state }: SignInChecks, now: Date): Promise<string> => {
  const stored = StoredReturn.safeParse(await getItem('traffic', returnKey(state)));
  return stored.success && stored.data.ttl * 1000 > now.getTime() ? stored.data.path : defaultReturn;
};
