import { generateKeyPairSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import * as z from 'zod';
import type { DataFolder } from '../data/data-folder.ts';
import { listenOn } from '../listen.ts';
import type { SignInClient } from './settings.ts';

export interface SignInServer {
  /** The OpenID Connect issuer, which takes the place of the template's user pool. */
  readonly issuer: string;
  readonly password: string;
  /** From now on people can sign in to these applications; before, requests wait. */
  serve(clients: readonly SignInClient[]): void;
  stop(): void;
}

export const storedKeys = z.object({
  password: z.string(),
  cookieKey: z.string(),
  signingKey: z.record(z.string(), z.unknown()),
});

/** The password that is printed, and the keys, kept so that they are the same after a restart. */
function findOrMakeKeys(data: DataFolder): z.output<typeof storedKeys> {
  const kept = data.readJson('sign-in.json', storedKeys);
  if (kept) return kept;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const made = {
    password: randomBytes(9).toString('base64url'),
    cookieKey: randomBytes(32).toString('base64url'),
    signingKey: {
      ...privateKey.export({ format: 'jwk' }),
      use: 'sig',
      alg: 'RS256',
      kid: randomBytes(8).toString('hex'),
    },
  };
  data.writeJson('sign-in.json', made);
  return made;
}

/**
 * Listens on 127.0.0.1 as the OpenID Connect provider of the local stack. The provider itself, some 40 MB, is loaded by
 * the first request: who only calls the API never pays for it.
 */
export async function startSignInServer(data: DataFolder, warn: (line: string) => void): Promise<SignInServer> {
  const keys = findOrMakeKeys(data);
  const { promise: clients, resolve: serve } = Promise.withResolvers<readonly SignInClient[]>();
  const passwordBytes = Buffer.from(keys.password);
  const isPassword = (text: string) => {
    const given = Buffer.from(text);
    return given.length === passwordBytes.length && timingSafeEqual(given, passwordBytes);
  };
  let issuer = '';
  let listener: Promise<RequestListener> | undefined;
  const load = async (): Promise<RequestListener> => {
    const { createSignInProvider } = await import('./provider.ts');
    return createSignInProvider({ ...keys, issuer, clients: await clients, isPassword });
  };
  const server = createServer(async (request, response) => {
    try {
      listener ??= load();
      (await listener)(request, response);
    } catch (error) {
      warn(`The sign-in could not respond to ${request.method}: ${error}`);
      response.writeHead(500).end();
    }
  });
  issuer = `http://127.0.0.1:${await listenOn(server)}`;
  return {
    issuer,
    password: keys.password,
    serve,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
