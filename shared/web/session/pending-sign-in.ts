import { createHmac, randomBytes } from 'node:crypto';
import { bounds } from '../../contract/bounds.ts';
import { decryptFromClient, encryptForClient } from '../../platform/secrets/encryption.ts';
import { endCookie, type SignInCookie, setCookie } from './cookies.ts';

/**
 * Nothing is stored: anybody may begin a sign-in. One random value per tab derives all checks, so that tabs do not collide and
 * many cookies fit 10,240 bytes of headers; the state carries the encrypted return path to the provider and back.
 */

export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

const signInSeconds = 10 * 60;
export const defaultReturn = '/programs';

/** Encryption adds a third, and it travels in addresses, beside the cookies of the other tabs. */
const maxReturnBytes = 2600;

const derived = (value: string, purpose: string): string =>
  createHmac('sha256', value).update(purpose).digest('base64url');

/** The return path is authenticated with the state: it is that of this tab. */
const checksOf = (value: string, encryptedReturn: string): SignInChecks => ({
  state: `${derived(value, `state ${encryptedReturn}`)}.${encryptedReturn}`,
  nonce: derived(value, 'nonce'),
  codeVerifier: derived(value, 'code verifier'),
});

const cookieOf = (state: string): SignInCookie => `sign-in-${state.slice(0, 8)}`;
const isSignInCookie = (name: string): name is SignInCookie => name.startsWith('sign-in-');

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

/** `encryptedReturn` was read before: the state holds nothing else. */
export const beginSignIn = (
  cookies: ReadonlyMap<string, string>,
  encryptedReturn = '',
): { checks: SignInChecks; cookies: string[] } => {
  const value = randomBytes(32).toString('base64url');
  const checks = checksOf(value, encryptedReturn);
  const others = [...cookies.keys()].filter(isSignInCookie);
  const tooMany = others.slice(0, Math.max(0, others.length + 1 - bounds.signInsOfBrowser));
  return { checks, cookies: [...tooMany.map(endCookie), setCookie(cookieOf(checks.state), value, signInSeconds)] };
};

/** Undefined if this browser did not begin it, or began it too long ago. */
export const findSignIn = (
  cookies: ReadonlyMap<string, string>,
  state: string | null,
): { checks: SignInChecks; cookie: SignInCookie; encryptedReturn: string } | undefined => {
  if (!state?.includes('.')) return undefined;
  const cookie = cookieOf(state);
  const value = cookies.get(cookie);
  const encryptedReturn = state.slice(state.indexOf('.') + 1);
  const checks = value === undefined ? undefined : checksOf(value, encryptedReturn);
  return checks?.state === state ? { checks, cookie, encryptedReturn } : undefined;
};
