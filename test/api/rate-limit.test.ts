import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toEvent } from '../../infra/local/gateway-event.ts';
import { type AccessVerdict, checkAccess } from '../../shared/access/check-access.ts';
import { hashOfToken, tokenKey, unknownTokenKey } from '../../shared/access/token.ts';
import { createApiKey, deleteApiKey } from '../../shared/programs/api-keys.ts';
import { deployedName, documents } from '../../shared/table/client.ts';
import { makeProgram } from '../support/program.ts';

type Check = typeof checkAccess;

const start = Date.UTC(2030, 0, 1, 12);
const minute = 60_000;
const endpoint = 'GET /api/v1/affiliates';

const newTokenHash = async () => hashOfToken((await makeProgram()).apiKey);

const hit = (
  tokenHash: string,
  atMilliseconds: number,
  more: Partial<Parameters<Check>[0]> = {},
  check = checkAccess,
) => check({ tokenHash, endpoint, limitPerMinute: 10, now: new Date(atMilliseconds), ...more });

const hits = (count: number, ...given: Parameters<typeof hit>) =>
  Promise.all(Array.from({ length: count }, () => hit(...given)));

const passed = (verdicts: readonly AccessVerdict[]) => verdicts.filter(({ kind }) => kind !== 'limited').length;

/** Another function instance: the same code with a memory of its own. */
const anotherInstance = async (): Promise<Check> => {
  vi.resetModules();
  return (await import('../../shared/access/check-access.ts')).checkAccess;
};

const countersOf = async (key: { pk: string; sk: string }) => {
  const { Item = {} } = await documents.send(new GetCommand({ TableName: deployedName('traffic'), Key: key }));
  return Object.keys(Item).filter((name) => name.startsWith('count '));
};

describe('the rate limit', () => {
  it('lets exactly the limit pass of many requests at one moment', async () => {
    const verdicts = await hits(60, await newTokenHash(), start);
    expect(passed(verdicts)).toBe(10);
    for (const { kind, usage } of verdicts) if (kind === 'limited') expect(usage.remaining).toBe(0);
  });

  it('lets no more than the limit pass across the edge of a minute, and none until the burst is a minute old', async () => {
    const token = await newTokenHash();
    expect(passed(await hits(15, token, start + minute - 1))).toBe(10);
    for (const laterMilliseconds of [2, 5_000, 30_000, 55_000, 59_990])
      expect(passed(await hits(5, token, start + minute - 1 + laterMilliseconds))).toBe(0);
    expect(passed(await hits(15, token, start + 2 * minute + 5_000))).toBe(10);
  });

  it('holds when several function instances serve one key', async () => {
    const token = await newTokenHash();
    const instances = [checkAccess, await anotherInstance(), await anotherInstance()];
    let all = 0;
    // Each instance learns late what the others have counted.
    for (let round = 0; round < 6; round++) {
      const at = start + round * 4_000;
      const verdicts = await Promise.all(instances.map((check) => hits(3, token, at, {}, check)));
      all += passed(verdicts.flat());
    }
    expect(all).toBe(10);
  });

  it('counts each method and each path for itself', async () => {
    const token = await newTokenHash();
    for (const other of ['GET /api/v1/affiliates', 'POST /api/v1/affiliates', 'GET /api/v1/coupons'])
      expect(passed(await hits(12, token, start, { endpoint: other }))).toBe(10);
  });

  it('counts each key for itself, also of one program', async () => {
    const { programId, apiKey } = await makeProgram();
    const second = await createApiKey(programId, 'Second', new Date());
    for (const key of [apiKey, second.apiKey]) expect(passed(await hits(12, hashOfToken(key), start))).toBe(10);
  });

  it('names a wait after which one request passes', async () => {
    const token = await newTokenHash();
    await hits(4, token, start + 1_700);
    await hits(6, token, start + 31_000);
    const refused = await hit(token, start + 40_300);
    expect(refused.kind).toBe('limited');
    const { retryAfterSeconds } = refused.usage;
    expect(Number.isInteger(retryAfterSeconds)).toBe(true);
    expect(retryAfterSeconds).toBe(25);
    expect((await hit(token, start + 40_300 + retryAfterSeconds * 1000)).kind).toBe('known');
  });

  it('does not count what it refuses, so that a client that goes on asking is let in again', async () => {
    const token = await newTokenHash();
    for (let at = start; at < start + minute; at += 2_000) await hits(3, token, at);
    expect(passed(await hits(3, token, start + minute + 6_000))).toBeGreaterThan(0);
  });

  it('says how much is left', async () => {
    const token = await newTokenHash();
    const remaining: number[] = [];
    for (let count = 0; count < 12; count++) remaining.push((await hit(token, start)).usage.remaining);
    expect(remaining).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
  });

  it('answers 401 to a wrong key first, and 429 beyond the limit', async () => {
    const token = hashOfToken(randomUUID());
    const kinds: string[] = [];
    for (let count = 0; count < 12; count++) kinds.push((await hit(token, start)).kind);
    expect(kinds).toEqual([...Array(10).fill('unknown'), 'limited', 'limited']);
    expect((await hit(token, start + minute + 5_000)).kind).toBe('unknown');
  });

  it('knows a deleted key no more, at once', async () => {
    const { programId } = await makeProgram();
    const { keyId, apiKey } = await createApiKey(programId, 'Short-lived', new Date());
    const token = hashOfToken(apiKey);
    expect((await hit(token, start)).kind).toBe('known');
    await deleteApiKey(programId, keyId);
    expect((await hit(token, start)).kind).toBe('unknown');
  });

  it('does not pile up counters of the past on the item of a key', async () => {
    const token = await newTokenHash();
    for (let at = start; at < start + 10 * minute; at += 3_000) {
      await hit(token, at);
      await hit(token, at, { endpoint: 'POST /api/v1/coupons' });
    }
    // Thirteen slices weigh for each of the two, and one more may wait to be removed.
    expect((await countersOf(tokenKey(token))).length).toBeLessThanOrEqual(28);
    await hit(token, start + 60 * minute);
    await hit(token, start + 60 * minute);
    expect(await countersOf(tokenKey(token))).toHaveLength(1);
  });

  it('lets the counters of wrong keys expire', async () => {
    const token = hashOfToken(randomUUID());
    await hit(token, start);
    const { Item } = await documents.send(
      new GetCommand({ TableName: deployedName('traffic'), Key: unknownTokenKey(token) }),
    );
    expect(Item?.ttl).toBe((start + minute + 5_000) / 1000);
  });
});

describe('the answer beyond the limit', () => {
  // The stack that all tests share has limits that none of them meets: the Lambda runs here, with limits of its own.
  beforeEach(() => {
    vi.stubEnv('RATE_LIMIT_READS', '3');
    vi.stubEnv('RATE_LIMIT_WRITES', '2');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const invoke = async (method: string, apiKey: string, body = '') => {
    const { handler } = await import('../../functions/coupons.ts');
    const event = toEvent({
      method,
      url: '/api/v1/coupons',
      rawHeaders: ['Authorization', `Bearer ${apiKey}`, 'Content-Type', 'application/json', 'Host', 'localhost'],
      body: Buffer.from(body),
      sourceIp: '127.0.0.1',
      port: 80,
      routeKey: 'ANY /api/v1/coupons',
      pathParameters: {},
    });
    const answer = await Reflect.apply(handler, undefined, [event, {}]);
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
  };

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
    init: { url: string; routeKey: string; body?: string },
  ) => {
    const functions = {
      token: () => import('../../functions/connector-token.ts'),
      webhooks: () => import('../../functions/connector-webhooks.ts'),
    };
    const { handler } = await functions[name]();
    const event = toEvent({
      method: name === 'token' ? 'POST' : 'DELETE',
      rawHeaders: ['Authorization', `Bearer ${wrongToken}`, 'Content-Type', 'application/x-www-form-urlencoded'],
      sourceIp: '127.0.0.1',
      port: 80,
      pathParameters: {},
      ...init,
      body: Buffer.from(init.body ?? ''),
    });
    const answer = await Reflect.apply(handler, undefined, [event, {}]);
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
  };
  const wrongToken = randomUUID();

  it('is one for a path of the connector, whatever id is in it', async () => {
    const routeKey = 'ANY /api/automation/webhooks/{id}';
    const answers = [];
    for (const id of ['a', 'b', 'c'])
      answers.push(await invokeConnector('webhooks', { url: `/api/automation/webhooks/${id}`, routeKey }));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(answers[2]?.body).toEqual({ error: 'Too many requests. Please slow down.' });
    expect(answers[2]?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('comes to a code that is tried again and again', async () => {
    const token = { url: '/api/automation/token', routeKey: 'ANY /api/automation/token', body: `code=${randomUUID()}` };
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await invokeConnector('token', token));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
    expect(answers[2]?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('comes to a wrong key instead of its 401, and never to a request without a key', async () => {
    const wrong = randomUUID();
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await invoke('GET', wrong)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });
});
