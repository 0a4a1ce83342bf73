import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  ResponseBodyError,
} from 'openid-client';
import { canonicalEmail } from '../../contract/email.ts';
import { addressOf } from './app-url.ts';
import type { SignInChecks } from './pending-sign-in.ts';

/** Authorization code, PKCE, state and nonce, as a public client. docs/behavior.md#sign-in-and-sessions */

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set`);
  return value;
};

let discovered: Promise<Configuration> | undefined;

const provider = (): Promise<Configuration> => {
  const issuer = new URL(required('SIGN_IN_ISSUER'));
  discovered ??= discovery(issuer, required('SIGN_IN_CLIENT_ID'), undefined, None(), {
    // Only the local stack's issuer is not HTTPS.
    execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
  }).catch((error: unknown) => {
    discovered = undefined;
    throw error;
  });
  return discovered;
};

const callbackPath = '/sign-in/callback';

export const signInAddress = async (checks: SignInChecks, { prompt }: { prompt?: 'login' | undefined }): Promise<URL> =>
  buildAuthorizationUrl(await provider(), {
    redirect_uri: addressOf(callbackPath).href,
    scope: 'openid email',
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
  });

export type SignInOutcome =
  /** `authenticatedAt` is in milliseconds since the epoch. */
  { kind: 'signed-in'; email: string; authenticatedAt: number } | { kind: 'unverified' } | { kind: 'refused' };

const refusalCodes: ReadonlySet<unknown> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationResponseError ||
  (error instanceof ResponseBodyError && error.error === 'invalid_grant') ||
  (error instanceof ClientError && refusalCodes.has(error.code));

/** `refused` for another sign-in's response; `unverified` for an unverified email. */
export const exchangeCode = async (address: string, checks: SignInChecks): Promise<SignInOutcome> => {
  try {
    const tokens = await authorizationCodeGrant(await provider(), addressOf(address), {
      pkceCodeVerifier: checks.codeVerifier,
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    const email = typeof claims?.email === 'string' ? canonicalEmail(claims.email) : undefined;
    if (email === undefined || claims?.email_verified !== true) return { kind: 'unverified' };
    const authenticatedAt = (claims.auth_time ?? 0) * 1000;
    return { kind: 'signed-in', email, authenticatedAt };
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused' };
    throw error;
  }
};

export const signOutAddress = async (): Promise<URL> => {
  const start = addressOf('/').href;
  // `logout_uri` is Cognito's own name for it.
  return buildEndSessionUrl(await provider(), { post_logout_redirect_uri: start, logout_uri: start });
};
