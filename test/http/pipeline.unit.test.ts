import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import { type Front, type HttpEvent, methodOf, pipeline, type RequestState } from '../../shared/http/pipeline.ts';
import { findMethod, serve } from '../../shared/http/route.ts';

const lines: Record<string, unknown>[] = [];
beforeEach(() => {
  lines.length = 0;
  for (const output of ['log', 'error'] as const)
    vi.spyOn(console, output).mockImplementation((line) => void lines.push(JSON.parse(String(line))));
});
afterEach(() => vi.restoreAllMocks());

const secret = 'Bearer 2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11';

const requestOf = (method: string, path = '/api/v1/coupons'): APIGatewayProxyEventV2 =>
  ({
    routeKey: 'ANY /api/v1/coupons',
    rawPath: '/api/v1/coupons',
    rawQueryString: `code=${secret}`,
    headers: { authorization: secret, cookie: secret },
    body: secret,
    requestContext: { requestId: 'request-1', http: { method, path } },
  }) as unknown as APIGatewayProxyEventV2;

const operations = [
  { id: 'listCoupons', method: 'GET', path: '/coupons' },
  { id: 'createCoupon', method: 'POST', path: '/coupons' },
];
const served = serve<(typeof operations)[number], () => void>(operations, { listCoupons() {}, createCoupon() {} });

/** A pipeline with one check, which finds the operation and the program. */
const run = (handle: Front<RequestState>['handle'], method = 'GET', path?: string) =>
  pipeline<RequestState>({
    begin: (request) => request,
    checks: [
      (event) => {
        event.state.headers = { 'ratelimit-remaining': '9' };
        event.state.program = { id: 'program-1' };
        event.state.served = findMethod(served, methodOf(event), (allowed) => `only ${allowed}`);
      },
    ],
    handle,
    respondToError: ({ status, message, headers }) => ({ statusCode: status, body: message, headers: { ...headers } }),
  })(requestOf(method, path) as HttpEvent<RequestState>, {} as Context);

const known = { requestId: 'request-1', path: '/api/v1/coupons', programId: 'program-1' };

describe('the count of 5xx', () => {
  const printedFor = async (statusCode: number): Promise<string[]> => {
    const printed: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    await run(async () => ({ statusCode }));
    return printed;
  };
  afterEach(() => vi.unstubAllEnvs());

  it('is a line that CloudWatch counts by function and version, for responses of 500 and more alone', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'affiliate-program-prod-Coupons');
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '17');
    expect(await printedFor(499)).toEqual([]);
    const [line = '', ...others] = await printedFor(500);
    expect(others).toEqual([]);
    expect(line.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'AffiliateProgram',
            Dimensions: [['function', 'version']],
            Metrics: [{ Name: 'ServerErrors', Unit: 'Count' }],
          },
        ],
      },
      function: 'affiliate-program-prod-Coupons',
      version: '17',
      ServerErrors: 1,
    });
  });

  it('is not there outside Lambda', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', undefined);
    expect(await printedFor(503)).toEqual([]);
  });
});

describe('the log of a request', () => {
  it('is one line with its id, operation, program, status and duration', async () => {
    await run(async () => ({ statusCode: 200 }));
    expect(lines).toEqual([
      {
        level: 'INFO',
        message: 'request',
        timestamp: expect.any(String),
        ...known,
        method: 'GET',
        operation: 'listCoupons',
        status: 200,
        durationMilliseconds: expect.any(Number),
      },
    ]);
  });

  it.each([
    {
      path: '/api/v1/affiliates/019a0000-0000-7000-8000-0000000000a1',
      logged: '/api/v1/affiliates/019a0000-0000-7000-8000-0000000000a1',
    },
    { path: '/api/v1/affiliates/email:amara@example.com', logged: '/api/v1/affiliates/email:…' },
    { path: '/api/v1/affiliates/email%3Aamara%40example.com', logged: '/api/v1/affiliates/email%3A…' },
    { path: '/api/v1/coupons/code:A:B/c', logged: '/api/v1/coupons/code:…' },
  ])('has the path $path as $logged', async ({ path, logged }) => {
    await run(async () => ({ statusCode: 200 }), 'GET', path);
    expect(lines).toMatchObject([{ path: logged }]);
  });

  it('has the whole milliseconds that it took', async () => {
    let clock = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    await run(async () => {
      clock += 7.4;
      return { statusCode: 200 };
    });
    expect(lines).toMatchObject([{ durationMilliseconds: 7 }]);
  });

  it('is one line for a refusal too, with its code', async () => {
    await run(() => Promise.reject(new ApiError('not_found')));
    expect(lines).toMatchObject([{ level: 'INFO', ...known, status: 404, errorCode: 'not_found' }]);
    expect(lines).toHaveLength(1);
  });

  it('is one line with the reason for a failure of ours, and has nothing of header, query and body in it', async () => {
    const failure = Object.assign(new TypeError('no such table'), { CancellationReasons: [{ Item: secret }] });
    const response = await run(() => Promise.reject(failure), 'POST');
    expect(response.statusCode).toBe(500);
    expect(lines).toMatchObject([
      {
        level: 'ERROR',
        message: 'request failed',
        ...known,
        operation: 'createCoupon',
        status: 500,
        errorName: 'TypeError',
        errorMessage: 'no such table',
        stack: expect.stringContaining('TypeError'),
      },
    ]);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });
});

it('an operation without a handler is refused when the function starts', () => {
  expect(() => serve(operations, { listCoupons() {} })).toThrow('createCoupon has no handler');
});

describe('every response of the pipeline', () => {
  it.each([
    { method: 'GET', statusCode: 200 },
    { method: 'PATCH', statusCode: 405 },
  ])('has the request id and the headers of the checks: $statusCode', async ({ method, statusCode }) => {
    const response = await run(async () => ({ statusCode: 200, headers: { etag: '"1"' } }), method);
    expect(response).toMatchObject({
      statusCode,
      headers: { 'x-request-id': 'request-1', 'ratelimit-remaining': '9', ...(statusCode === 200 && { etag: '"1"' }) },
    });
    if (statusCode === 405) expect(response).toMatchObject({ body: 'only GET, POST', headers: { allow: 'GET, POST' } });
  });

  it('is a 503 while a service cannot be reached', async () => {
    const response = await run(() => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })));
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
  });
});
