import type { JsonWebKey } from 'node:crypto';

/** An application that may sign people in: what the template says of a user pool's client. */
export interface SignInClient {
  readonly clientId: string;
  /** Where people may be sent after they signed in, and after they signed out. */
  readonly callbackUrls: readonly string[];
  readonly logoutUrls: readonly string[];
}

/** What the server is told to keep its sessions and tokens by. */
export interface SignInSettings {
  readonly issuer: string;
  readonly clients: readonly SignInClient[];
  readonly cookieKey: string;
  readonly signingKey: JsonWebKey;
  readonly isPassword: (text: string) => boolean;
}
