import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toEvent } from '../../infra/local/gateway/event.ts';
import { countUnits } from '../support/capacity.ts';
import { makeProgram } from '../support/program.ts';

let addresses = 0;
/** An address that no other test has used. */
const newAddress = () => `10.1.0.${++addresses}`;

describe('the response beyond the limit', () => {
  // The stack that all tests share has limits that none of them meets: the Lambda runs here, with limits of its own.
  beforeEach(() => {
    vi.stubEnv('RATE_LIMIT_READS', '3');
    vi.stubEnv('RATE_LIMIT_WRITES', '2');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const invokeAt = async (path: string, method: string, apiKey: string, body = '', sourceIp = newAddress()) => {
    const { handler } = path.endsWith('coupons')
      ? await import('../../functions/coupons.ts')
      : await import('../../functions/affiliates.ts');
    const event = toEvent({
      method,
      url: path,
      rawHeaders: ['Authorization', `Bearer ${apiKey}`, 'Content-Type', 'application/json', 'Host', 'localhost'],
      body: Buffer.from(body),
      sourceIp,
      port: 80,
      routeKey: `ANY ${path}`,
      pathParameters: {},
    });
    const response = await Reflect.apply(handler, undefined, [event, {}]);
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) };
  };

  const invoke = (...given: Parameters<typeof invokeAt> extends [string, ...infer Rest] ? Rest : never) =>
    invokeAt('/api/v1/coupons', ...given);

  it('is 429 with a true Retry-After, before the body is looked at, with limits for reads and for writes', async () => {
    const { apiKey } = await makeProgram();
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await invoke('GET', apiKey)).status);
    for (let count = 0; count < 3; count++) statuses.push((await invoke('POST', apiKey, '{')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 400, 400, 429]);
    const { headers, body } = await invoke('GET', apiKey);
    expect(body).toEqual({ error: 'Too many requests. Please slow down.' });
    expect(headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(headers['ratelimit-reset']).toBe(headers['retry-after']);
    expect(headers['x-request-id']).toMatch(/./);
  });

  const invokeConnector = async (
    name: 'token' | 'webhooks',
    init: { url: string; routeKey: string; body?: string; sourceIp: string },
  ) => {
    const functions = {
      token: () => import('../../functions/connector-token.ts'),
      webhooks: () => import('../../functions/connector-webhooks.ts'),
    };
    const { handler } = await functions[name]();
    const event = toEvent({
      method: name === 'token' ? 'POST' : 'DELETE',
      rawHeaders: ['Authorization', `Bearer ${wrongToken}`, 'Content-Type', 'application/x-www-form-urlencoded'],
      port: 80,
      pathParameters: {},
      ...init,
      body: Buffer.from(init.body ?? ''),
    });
    const response = await Reflect.apply(handler, undefined, [event, {}]);
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) };
  };
  const wrongToken = randomUUID();

  it('is one for a path of the connector, whatever id is in it', async () => {
    const routeKey = 'ANY /api/automation/webhooks/{id}';
    const sourceIp = newAddress();
    const responses = [];
    for (const id of ['a', 'b', 'c'])
      responses.push(await invokeConnector('webhooks', { url: `/api/automation/webhooks/${id}`, routeKey, sourceIp }));
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(responses[2]?.body).toEqual({ error: 'Too many requests. Please slow down.' });
    expect(responses[2]?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('comes to a code that is tried again and again', async () => {
    const token = {
      url: '/api/automation/token',
      routeKey: 'ANY /api/automation/token',
      body: `code=${randomUUID()}`,
      sourceIp: newAddress(),
    };
    const responses = [];
    for (let count = 0; count < 3; count++) responses.push(await invokeConnector('token', token));
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 429]);
    expect(responses[2]?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('comes to a wrong key instead of its 401, and never to a request without a key', async () => {
    const sourceIp = newAddress();
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await invoke('GET', randomUUID(), '', sourceIp)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await invoke('GET', 'no-token', '', sourceIp)).status).toBe(429);
    expect((await invoke('GET', (await makeProgram()).apiKey, '', sourceIp)).status).toBe(200);
  });

  it('is not asked of the table for a token without the shape of one', async () => {
    const units = countUnits();
    for (const token of ['no-token', randomUUID().toUpperCase(), `${randomUUID()}0`, '']) {
      const { status, headers } = await invoke('GET', token);
      expect(status).toBe(401);
      expect(headers['ratelimit-limit']).toBeUndefined();
    }
    expect(units.calls).toBe(0);
  });

  it('counts an operation together on the main API and the connector', async () => {
    const { apiKey } = await makeProgram();
    const statuses = [];
    for (const path of ['/api/automation/affiliates', '/api/v1/affiliates', '/api/automation/affiliates'])
      statuses.push((await invokeAt(path, 'GET', apiKey)).status);
    statuses.push((await invokeAt('/api/v1/affiliates', 'GET', apiKey)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
