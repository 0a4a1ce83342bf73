import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listenOn } from '../../infra/local/listen.ts';
import { routesOf } from '../../shared/contract/routes.ts';
import { signInPath } from '../../shared/web/session/pending-sign-in.ts';
import { functionEnvironment } from '../speed/in-process.ts';
import { type Cost, costOf } from '../support/capacity.ts';

// What nobody can make us pay: units of requests without a valid key or session, to each path that is deployed.

const requestCount = 1000;
/** None of them calls the table at all. ANONYMOUS_REQUESTS=1000 tries as many as the others. */
const requestsToEach = Number(process.env.ANONYMOUS_REQUESTS ?? 100);
const connectorPlatform = 'automation';
const origin = 'https://app.example.com';

/** A new path is in here as soon as it is deployed. */
const routes = [
  ...routesOf(connectorPlatform),
  { path: '/nothing/here', functionName: 'not-found', needs: [] },
  { path: '/api/v1/nothing', functionName: 'not-found', needs: [] },
] as const;
type Route = (typeof routes)[number];

const withKey = routes.filter(({ needs }) => needs.some((need) => need === 'access:check'));
const takesBearer = ({ path }: Route): boolean => !path.endsWith('/token');
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

let provider: Server;
beforeAll(async () => {
  // Answers for the identity provider: a code that somebody made up is none.
  provider = createServer(({ url, headers: { host } }, response) => {
    const at = `http://${host}`;
    const document = { issuer: at, authorization_endpoint: `${at}/in`, token_endpoint: `${at}/token`, jwks_uri: at };
    const isDiscovery = url?.includes('openid-configuration');
    response.writeHead(isDiscovery ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isDiscovery ? document : { error: 'invalid_grant' }));
  });
  const port = await listenOn(provider);
  const settings = {
    ...functionEnvironment(),
    CONNECTOR_PLATFORM: connectorPlatform,
    CONNECT_HOSTS: 'platform.example',
    FORM_LIMIT: '60',
    SIGN_IN_ISSUER: `http://127.0.0.1:${port}`,
    SIGN_IN_CLIENT_ID: 'us',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  // The middle of a minute, in which all requests are made.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1, 12, 0, 32) });
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  provider.close();
});

type Handler = (
  event: object,
  context: object,
) => Promise<{ statusCode: number; headers: Record<string, string>; cookies?: string[] }>;

interface Sent {
  method?: string;
  query?: string;
  headers?: Record<string, string>;
  cookies?: string[];
  body?: string;
  sourceIp?: string;
}

const handlers = new Map<string, Promise<{ handler: Handler }>>();
/** Asked for once: the test runner takes longer over an import than the function over its request. */
const handlerOf = async (functionName: string): Promise<Handler> => {
  const loading = handlers.get(functionName) ?? import(`../../functions/${functionName}.ts`);
  handlers.set(functionName, loading);
  return (await loading).handler;
};

let addresses = 0;
const newAddress = () => `10.2.${Math.floor(++addresses / 250)}.${addresses % 250}`;

const open = async (
  { path, functionName }: Pick<Route, 'path' | 'functionName'>,
  { method = 'GET', query = '', headers, cookies, body, sourceIp = '10.2.255.255' }: Sent,
) => {
  const handle = await handlerOf(functionName);
  const pathParameters: Record<string, string> = {};
  const rawPath = path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => {
    const value = name === 'platform' ? connectorPlatform : randomUUID();
    pathParameters[name] = value;
    return value;
  });
  const event = {
    version: '2.0',
    routeKey: `ANY ${path}`,
    rawPath,
    rawQueryString: query,
    pathParameters,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    ...(cookies && { cookies }),
    ...(body !== undefined && { body }),
    requestContext: { http: { method, path: rawPath, sourceIp }, requestId: 'x' },
    isBase64Encoded: false,
  };
  return handle(event, {});
};

const silently = async (act: () => Promise<unknown>): Promise<Cost> => {
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, name).mockImplementation(() => undefined);
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  try {
    return await costOf(act);
  } finally {
    vi.restoreAllMocks();
  }
};

const times = async (count: number, act: (at: number) => Promise<unknown>): Promise<Cost> =>
  silently(async () => {
    for (let at = 0; at < count; at++) await act(at);
  });

/** Everything that somebody without a valid key or session can send, but for keys that look like one. */
const strangers: readonly Sent[] = [
  {},
  { headers: { authorization: 'Bearer no-key' }, body: 'code=no-code' },
  { headers: { origin }, cookies: ['__Host-session=a.b.c.d.e'], body: `csrfToken=${randomUUID()}` },
];

const unitsOf = ({ writeUnits, readUnits }: Cost) => ({ writeUnits, readUnits });
const nothing = { calls: 0, writeUnits: 0, readUnits: 0 };

/** The lines of the table in docs/security.md, without the spaces that align it. */
const documented = (): string[] =>
  readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.replaceAll(/ +/g, ' '));

const expectDocumented = (requests: string, cost: Cost): void => {
  expect(documented()).toContain(`| ${requests} | ${cost.writeUnits} | ${cost.readUnits} |`);
};

describe('requests without a valid key or session', () => {
  it.each(routes)(`${requestsToEach} to $path cost no unit`, async (route) => {
    const cost = await times(requestsToEach, (at) =>
      open(route, { ...strangers[at % strangers.length], method: methods[at % methods.length] ?? '' }),
    );
    if (route.functionName === 'health') {
      // It reads the table at most every five seconds.
      expect(cost).toEqual({ calls: 1, writeUnits: 0, readUnits: 0.5 });
      expectDocumented('`GET /health`, within five seconds', cost);
    } else if (route.functionName === 'redirect' || route.path === '/portal/{handle}') {
      // Whether a program has the handle is known to the table alone.
      expect(cost).toEqual({ calls: cost.calls, writeUnits: 0, readUnits: cost.calls });
      expectDocumented(`\`GET ${route.path}\`, of no program`, { ...cost, readUnits: requestCount });
    } else expect(cost).toEqual(nothing);
  });

  it(`${requestsToEach} to sign in, and to come back with a made-up code, cost no unit`, async () => {
    const signIn = { path: '/sign-in', functionName: 'web-sign-in' } as const;
    const returnTo = await signInPath(`/programs?${'x'.repeat(2000)}`);
    const cost = await times(requestsToEach, async () => {
      const begun = await open(signIn, { query: returnTo.split('?')[1] ?? '' });
      expect(begun.statusCode).toBe(303);
      const state = new URL(begun.headers.location ?? '').searchParams.get('state') ?? '';
      expect(state.length).toBeGreaterThan(2000);
      const cookies = (begun.cookies ?? []).map((cookie) => cookie.split(';')[0] ?? '');
      const query = new URLSearchParams({ code: randomUUID(), state }).toString();
      const ended = await open({ ...signIn, path: '/sign-in/callback' }, { query, cookies });
      expect(ended.statusCode).toBe(400);
    });
    expect(cost).toEqual(nothing);
  });

  it(`${requestCount} to the authorization page cost no unit`, async () => {
    const page = routes.find(({ path }) => path.startsWith('/connect/'));
    const query = new URLSearchParams({ redirect_uri: 'https://platform.example/return', state: 'x'.repeat(1000) });
    const cost = await times(requestCount, async () => {
      const response = page && (await open(page, { query: query.toString() }));
      expect([response?.statusCode, response?.headers.location]).toEqual([303, expect.stringContaining('/sign-in?')]);
    });
    expect(cost).toEqual(nothing);
    expectDocumented('Any other path, without a key or with a made-up session', cost);
  });
});

describe('requests with made-up keys from one address', () => {
  const madeUp = (method: string, sourceIp: string): Sent => {
    const key = randomUUID();
    return { method, sourceIp, headers: { authorization: `Bearer ${key}` }, body: `code=${key}` };
  };

  it.each(withKey)('to $path cost one write unit each', async (route) => {
    const sourceIp = newAddress();
    const cost = await times(20, () => open(route, madeUp('POST', sourceIp)));
    // The first one also reads what the address sent before.
    expect(unitsOf(cost)).toEqual({ writeUnits: 20, readUnits: 20.5 });
  });

  it.each([
    { method: 'GET', title: '`GET` of any path of the API, with made-up keys', to: withKey.filter(takesBearer) },
    { method: 'POST', title: 'Other methods there, with made-up keys', to: withKey.filter(takesBearer) },
    {
      method: 'POST',
      title: '`POST /token` of the connector, with made-up codes',
      to: withKey.filter((route) => !takesBearer(route)),
    },
  ])(`${requestCount} of $title: no more than the limit of the address`, async ({ method, title, to }) => {
    const sourceIp = newAddress();
    const cost = await times(requestCount, async (at) => {
      const route = to[at % to.length];
      if (route) await open(route, madeUp(method, sourceIp));
    });
    expect(cost.writeUnits).toBeLessThanOrEqual(method === 'GET' ? 600 : 300);
    expectDocumented(title, cost);
  });
});
