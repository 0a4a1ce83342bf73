import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Adapter, type AdapterPayload, type Configuration, Provider } from 'oidc-provider';
import { signInPage } from './page.ts';
import type { SignInSettings } from './settings.ts';

const hour = 60 * 60;

/** Sessions and codes for as long as the stack runs. Each kind of record has its own. */
class MemoryAdapter implements Adapter {
  readonly #records = new Map<string, { payload: AdapterPayload; expiresAt: number }>();

  async upsert(id: string, payload: AdapterPayload, expiresInSeconds: number) {
    for (const [old, { expiresAt }] of this.#records) if (expiresAt < Date.now()) this.#records.delete(old);
    this.#records.set(id, { payload, expiresAt: Date.now() + expiresInSeconds * 1000 });
  }
  async find(id: string) {
    const found = this.#records.get(id);
    return found && found.expiresAt > Date.now() ? found.payload : undefined;
  }
  async findByUid(uid: string) {
    return [...this.#records.values()].find(({ payload }) => payload.uid === uid)?.payload;
  }
  async findByUserCode() {
    return undefined;
  }
  async consume(id: string) {
    const found = this.#records.get(id);
    if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string) {
    this.#records.delete(id);
  }
  async revokeByGrantId(grantId: string) {
    for (const [id, { payload }] of this.#records) if (payload.grantId === grantId) this.#records.delete(id);
  }
}

/** An account's id says all that there is to know of it: its address, and whether that is verified. */
const accountIdOf = (email: string, isVerified: boolean) => `${isVerified ? 'verified' : 'unverified'}:${email}`;

const findAccount: Configuration['findAccount'] = (_, accountId) => {
  const [state, email = ''] = accountId.split(/:(.*)/s);
  return { accountId, claims: () => ({ sub: accountId, email, email_verified: state === 'verified' }) };
};

const configuration = ({ clients, cookieKey, signingKey }: SignInSettings): Configuration => ({
  adapter: MemoryAdapter,
  clients: clients.map(({ clientId, callbackUrls, logoutUrls }) => ({
    client_id: clientId,
    redirect_uris: [...callbackUrls],
    post_logout_redirect_uris: [...logoutUrls],
    token_endpoint_auth_method: 'none',
    // Cognito's ID tokens always say when somebody signed in.
    require_auth_time: true,
    grant_types: ['authorization_code'],
    response_types: ['code'],
  })),
  cookies: { keys: [cookieKey] },
  jwks: { keys: [signingKey] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  // Cognito puts the address into the ID token, too.
  conformIdTokenClaims: false,
  findAccount,
  features: {
    devInteractions: { enabled: false },
    // Who comes to sign out is not asked whether to: see below.
    rpInitiatedLogout: {
      logoutSource: (ctx) => {
        ctx.body = '';
      },
    },
  },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  // Nobody is asked whether our own application may know the address.
  loadExistingGrant: async ({ oidc }) => {
    const { client, session, provider } = oidc;
    if (!client || !session?.accountId) return undefined;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
  ttl: { Interaction: hour, Session: hour, Grant: hour, IdToken: hour, AccessToken: hour, AuthorizationCode: 60 },
  renderError: (ctx, { error, error_description: description }) => {
    ctx.type = 'text/plain';
    ctx.body = `${error}: ${description ?? ''}`;
  },
});

const send = (response: ServerResponse, status: number, html: string) => {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  response.end(html);
};

/** An OpenID Connect provider with a sign-in page that knows one password, for every address. */
export function createSignInProvider(settings: SignInSettings): RequestListener {
  const provider = new Provider(settings.issuer, configuration(settings));
  // Whoever signs out of the application is signed out here too and sent back, as by a user pool.
  provider.use(async (ctx, next) => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'end_session' || ctx.status !== 200) return;
    await oidc.session?.destroy();
    ctx.cookies.set(provider.cookieName('session'), null);
    ctx.redirect(String(oidc.params?.post_logout_redirect_uri ?? settings.issuer));
  });
  const result = provider.callback();

  const signIn = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return send(response, 200, signInPage());
    const form = new URLSearchParams(await text(request));
    const email = (form.get('email') ?? '').trim();
    if (!/^[^@\s]+@[^@\s]+$/.test(email)) return send(response, 400, signInPage('Enter an email address', email));
    if (!settings.isPassword(form.get('password') ?? ''))
      return send(
        response,
        400,
        signInPage('The password is not the one that was printed when the stack started', email),
      );
    const accountId = accountIdOf(email, form.get('unverified') === null);
    await provider.interactionFinished(request, response, { login: { accountId, remember: true } });
  };

  return (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return result(request, response);
    return signIn(request, response).catch(() => {
      send(response, 400, '<!doctype html><title>Sign in</title><p>This sign-in has ended. Go back and begin again.');
    });
  };
}
