import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { corsConfiguration } from '../../infra/local/gateway/cors.ts';
import { type Gateway, startGateway } from '../../infra/local/gateway/gateway.ts';
import { toResponse } from '../../infra/local/gateway/response.ts';
import { createRouter } from '../../infra/local/gateway/routes.ts';
import { createThrottle } from '../../infra/local/gateway/throttle.ts';
import { RequestTooLargeError } from '../../infra/local/lambda/function.ts';
import { InvocationError } from '../../infra/local/lambda/runtime.ts';

let gateway: Gateway;
let url: string;
const problems: string[] = [];

beforeAll(async () => {
  gateway = await startGateway({ port: 0, warn: (line) => problems.push(line), integrationMilliseconds: 1500 });
  url = `http://127.0.0.1:${gateway.port}`;
  const cors = corsConfiguration.parse({
    AllowOrigins: ['*'],
    AllowMethods: ['GET', 'POST'],
    AllowHeaders: ['authorization'],
    ExposeHeaders: ['ETag'],
    MaxAge: 60,
  });
  const route = (key: string, target: (event: unknown) => unknown) => ({
    key,
    target: async (e: unknown) => target(e),
  });
  gateway.serve(
    [
      route('ANY /echo', (event) => event),
      route('GET /only-get', () => 'got'),
      route('GET /things/{id}', (event) => event),
      route('ANY /own-cors', () => ({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': 'https://mine' } })),
      route('ANY /cookies', () => ({ statusCode: 201, cookies: ['a=1', 'b=2'], body: 'x' })),
      route('ANY /bad-header', () => ({ statusCode: 200, headers: { 'x-bad': 'line\nbreak' } })),
      route('ANY /throws', () => Promise.reject(new InvocationError('boom'))),
      route('ANY /hangs', () => new Promise(() => {})),
      {
        key: 'ANY /waits',
        target: async (_event: unknown, onWaiting = () => () => {}) => {
          const onBegin = onWaiting();
          await sleep(1700);
          onBegin();
          return 'done';
        },
      },
      route('ANY /too-large', () => Promise.reject(new RequestTooLargeError('6 MB'))),
      route('ANY /times-out', () => Promise.reject(new InvocationError('slow', true))),
    ],
    cors,
  );
});
afterAll(() => gateway.stop());

const echo = async (path: string, init?: RequestInit): Promise<APIGatewayProxyEventV2> =>
  JSON.parse(await (await fetch(`${url}${path}`, init)).text());

/** What the gateway returns to bytes that no HTTP client would send. */
const respondWithBytes = (bytes: string): Promise<string> => {
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(bytes));
  return text(socket);
};

it('joins repeated headers and parameters with a comma and gives cookies a list of their own', async () => {
  const headers = new Headers({ 'X-Many': '1', Cookie: 'one=1; two=2' });
  headers.append('x-many', '2');
  const event = await echo('/echo?tag=a&tag=b&space=%20x+y&empty=', { headers });
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: 'ANY /echo',
    rawPath: '/echo',
    rawQueryString: 'tag=a&tag=b&space=%20x+y&empty=',
    queryStringParameters: { tag: 'a,b', space: ' x y', empty: '' },
    cookies: ['one=1', 'two=2'],
    requestContext: { stage: '$default', http: { method: 'GET', path: '/echo', sourceIp: '127.0.0.1' } },
    isBase64Encoded: false,
  });
  expect(event.headers['x-many']?.replace(' ', '')).toBe('1,2');
  expect(event.headers).toMatchObject({ 'x-forwarded-proto': 'http', host: url.slice(7) });
  expect(event.headers).not.toHaveProperty('cookie');
  expect(event.requestContext.requestId).toMatch(/^[\w+/]{15}$/);
  expect(event).not.toHaveProperty('body');
});

it.each([
  ['application/json', Buffer.from('{"name":"Zoë"}'), false],
  ['application/json', Buffer.from([0xff, 0xfe]), true],
  ['application/x-www-form-urlencoded', Buffer.from('a=1'), true],
  ['application/octet-stream', Buffer.from('text'), true],
])('hands over %s as API Gateway does', async (contentType, body, isBase64Encoded) => {
  const event = await echo('/echo', { method: 'POST', headers: { 'content-type': contentType }, body });
  expect(event.isBase64Encoded).toBe(isBase64Encoded);
  expect(Buffer.from(event.body ?? '', isBase64Encoded ? 'base64' : 'utf8')).toEqual(body);
});

it('decodes path parameters, matches methods exactly, and returns 404 for what has no route', async () => {
  expect(await echo('/things/a%20b')).toMatchObject({ pathParameters: { id: 'a b' } });
  expect((await fetch(`${url}/only-get`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${url}/only-get`, { method: 'HEAD' })).status).toBe(404);
  const missing = await fetch(`${url}/nothing`);
  expect([missing.status, await missing.json()]).toEqual([404, { message: 'Not Found' }]);
});

it('prefers the full match, then the longest greedy one, then the default route', () => {
  const find = createRouter(
    ['$default', 'ANY /{proxy+}', 'ANY /a/{proxy+}', 'ANY /a/{id}', 'GET /a/{id}', 'ANY /a/b'].map((key) => ({
      key,
      target: key,
    })),
  );
  const chosen = (method: string, path: string) => find(method, path)?.route.key;
  expect(chosen('GET', '/a/b')).toBe('ANY /a/b');
  expect(chosen('GET', '/a/c')).toBe('GET /a/{id}');
  expect(chosen('PUT', '/a/c')).toBe('ANY /a/{id}');
  expect(chosen('GET', '/a/c/d')).toBe('ANY /a/{proxy+}');
  expect(chosen('GET', '/x')).toBe('ANY /{proxy+}');
  expect(chosen('GET', '/')).toBe('$default');
});

it('responds to a preflight by itself and replaces the CORS headers of a function', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
  const preflight = await fetch(`${url}/echo`, { method: 'OPTIONS', headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET,POST');
  expect(preflight.headers.get('access-control-max-age')).toBe('60');
  const own = await fetch(`${url}/own-cors`, { headers });
  expect(own.headers.get('access-control-allow-origin')).toBe('*');
  expect(own.headers.get('access-control-expose-headers')).toBe('ETag');
  const withoutOrigin = await fetch(`${url}/own-cors`);
  expect(withoutOrigin.headers.get('access-control-allow-origin')).toBeNull();
});

it.each([
  ['text', { body: 'text', type: 'application/json', status: 200 }],
  [{ any: 'thing' }, { body: '{"any":"thing"}', type: 'application/json', status: 200 }],
  [null, { body: 'null', type: 'application/json', status: 200 }],
  [
    { statusCode: 404, body: 'x' },
    { body: 'x', type: 'text/plain;charset=utf-8', status: 404 },
  ],
  [
    { statusCode: 200, body: 'aGk=', isBase64Encoded: true },
    { body: 'hi', type: 'text/plain;charset=utf-8', status: 200 },
  ],
  [
    { statusCode: 200, body: { no: 'string' } },
    { body: '{"message":"Internal Server Error"}', status: 500 },
  ],
  [{ statusCode: 'soon' }, { body: '{"message":"Internal Server Error"}', status: 500 }],
])('makes of the result %j the response %j', (result, { body, status, ...expected }) => {
  const response = toResponse(result);
  expect([response.body.toString(), response.status]).toEqual([body, status]);
  if ('type' in expected) expect(response.headers['content-type']).toBe(expected.type);
});

it('turns the cookies of a result into set-cookie headers', async () => {
  const response = await fetch(`${url}/cookies`);
  expect([response.status, response.headers.getSetCookie()]).toEqual([201, ['a=1', 'b=2']]);
});

it('tells a failed function from a slow one, and survives a response that HTTP does not allow', async () => {
  expect((await fetch(`${url}/throws`)).status).toBe(500);
  expect((await fetch(`${url}/bad-header`)).status).toBe(500);
  const slow = await fetch(`${url}/times-out`);
  expect([slow.status, await slow.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  expect(problems.join()).toContain('boom');
});

it('gives up a function that does not respond in time, and refuses what is too large for one', async () => {
  const startedAt = performance.now();
  const hanging = await fetch(`${url}/hangs`);
  expect([hanging.status, await hanging.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  expect(performance.now() - startedAt).toBeGreaterThan(1400);
  expect((await fetch(`${url}/waits`)).status, 'the time that it waits for others does not count').toBe(200);
  const tooLarge = await fetch(`${url}/too-large`);
  expect([tooLarge.status, await tooLarge.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
});

it.each([
  ['takes a request line and header values of 10,240 bytes, the names of headers beside them', 10_240, 404],
  ['refuses one byte more', 10_241, 431],
])('%s', async (_, bytes, status) => {
  const line = 'GET /nothing HTTP/1.1';
  const values = { host: 'x', connection: 'close', 'a-header-with-a-name-that-does-not-count': '' };
  const others = line.length + Object.values(values).join('').length;
  values['a-header-with-a-name-that-does-not-count'] = 'a'.repeat(bytes - others);
  const head = Object.entries(values).map(([name, value]) => `${name}: ${value}`);
  expect(await respondWithBytes(`${[line, ...head].join('\r\n')}\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

it('refuses a body above 10 MB and takes one just below', async () => {
  const limit = 10 * 1024 * 1024;
  const tooLarge = await fetch(`${url}/echo`, { method: 'POST', body: new Uint8Array(limit + 1) });
  expect([tooLarge.status, await tooLarge.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
  expect((await fetch(`${url}/cookies`, { method: 'POST', body: new Uint8Array(limit) })).status).toBe(201);
});

it.each([
  ['no HTTP at all', 'GARBAGE\r\n\r\n', '400'],
  [
    'headers above the limit',
    `GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\na: ${'a'.repeat(20_000)}\r\n\r\n`,
    '431',
  ],
  ['headers far above it', `GET / HTTP/1.1\r\nhost: x\r\na: ${'a'.repeat(100_000)}\r\n\r\n`, '431'],
  ['two lengths', 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', '400'],
  ['broken escapes', 'GET /%zz%00?%zz=%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', '404'],
])('returns %s and goes on', async (_what, bytes, status) => {
  expect(await respondWithBytes(bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect((await fetch(`${url}/cookies`)).status).toBe(201);
});

it('refuses what comes beyond the rate and burst of the stage, as API Gateway words it', async () => {
  const throttled = await startGateway({ port: 0, warn: () => {} });
  throttled.serve([{ key: 'ANY /echo', target: async () => 'got' }], undefined, {
    throttling: { rate: 0.01, burst: 3 },
  });
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => fetch(`http://127.0.0.1:${throttled.port}/echo`)),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
  expect(await responses.find(({ status }) => status === 429)?.json()).toEqual({ message: 'Too Many Requests' });
  await throttled.stop();
});

it('lets as many pass as the rate says, after a burst', () => {
  let milliseconds = 0;
  const admit = createThrottle({ rate: 10, burst: 20 }, () => milliseconds);
  const passed = (requests: number) => Array.from({ length: requests }, admit).filter(Boolean).length;
  expect(passed(50)).toBe(20);
  milliseconds += 1000;
  expect(passed(50)).toBe(10);
  milliseconds += 60_000;
  expect(passed(50)).toBe(20);
});
