import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toEvent } from '../../infra/local/gateway/event.ts';
import { type AccessVerdict, checkAccess } from '../../shared/domain/access/check-access.ts';
import { hashOfToken, tokenKey, unknownTokensKey } from '../../shared/domain/access/token.ts';
import { createApiKey, deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { deployedName, documents } from '../../shared/platform/table/client.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { countUnits } from '../support/capacity.ts';
import { inTurn } from '../support/in-turn.ts';
import { itemSize } from '../support/item-size.ts';
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
) => check({ tokenHash, sourceIp: '192.0.2.1', endpoint, limitPerMinute: 10, now: new Date(atMilliseconds), ...more });

let addresses = 0;
/** An address that no other test has used. */
const newAddress = () => `10.0.${Math.floor(++addresses / 250)}.${addresses % 250}`;
const unknownHash = () => hashOfToken(randomUUID());

const hits = (count: number, ...given: Parameters<typeof hit>) =>
  Promise.all(Array.from({ length: count }, () => hit(...given)));

const passed = (verdicts: readonly AccessVerdict[]) => verdicts.filter(({ kind }) => kind !== 'limited').length;

/** Another function instance: the same code with a memory of its own. */
const anotherInstance = async (): Promise<Check> => {
  vi.resetModules();
  return (await import('../../shared/domain/access/check-access.ts')).checkAccess;
};

const itemAt = async (key: { pk: string; sk: string }): Promise<Record<string, unknown>> => {
  const { Item = {} } = await documents.send(new GetCommand({ TableName: deployedName('traffic'), Key: key }));
  return Item;
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

  it('knows a deleted key no more, at once', async () => {
    const { programId } = await makeProgram();
    const { keyId, apiKey } = await createApiKey(programId, 'Short-lived', new Date());
    const token = hashOfToken(apiKey);
    expect((await hit(token, start)).kind).toBe('known');
    await deleteApiKey(programId, keyId);
    expect((await hit(token, start)).kind).toBe('unknown');
  });

  it('costs one call and one write unit a request, with sixty endpoints in use and minutes that begin and end', async () => {
    const token = await newTokenHash();
    await hit(token, start);
    const units = countUnits();
    let requests = 0;
    for (let at = start + 1000; at < start + 3 * minute; at += 19_000)
      for (let number = 0; number < 60; number++) {
        const verdict = await hit(token, at + number, { endpoint: `GET /endpoint-${number}`, limitPerMinute: 600 });
        expect(verdict.kind).toBe('known');
        requests += 1;
      }
    expect(units).toEqual({ writes: requests, reads: 0, calls: requests });
    vi.restoreAllMocks();
    const item = await itemAt(tokenKey(token));
    expect(itemSize(item)).toBeLessThan(1024);
    await hit(token, start + 60 * minute);
    await hit(token, start + 60 * minute);
    // This minute with its one counter, and the next.
    expect(Object.values((await itemAt(tokenKey(token))).counts ?? {})).toHaveLength(2);
  });

  it('writes nothing for what a function knows to be beyond it', async () => {
    const token = await newTokenHash();
    await hits(12, token, start);
    const units = countUnits();
    expect(passed(await hits(50, token, start + 1000))).toBe(0);
    expect(units.calls).toBe(0);
  });

  it('counts on a token that an earlier version has made without counters', async () => {
    const token = await newTokenHash();
    await documents.send(
      new UpdateCommand({
        TableName: deployedName('traffic'),
        Key: tokenKey(token),
        UpdateExpression: 'REMOVE #counts',
        ExpressionAttributeNames: { '#counts': 'counts' },
      }),
    );
    expect(passed(await hits(15, token, start))).toBe(10);
  });
});

describe('unknown tokens', () => {
  it('are refused with 401 first, and 429 beyond the limit of their address, whatever they ask for', async () => {
    const sourceIp = newAddress();
    const kinds: string[] = [];
    for (let count = 0; count < 12; count++)
      kinds.push((await hit(unknownHash(), start, { sourceIp, endpoint: `GET /endpoint-${count}` })).kind);
    expect(kinds).toEqual([...Array(10).fill('unknown'), 'limited', 'limited']);
    expect((await hit(unknownHash(), start, { sourceIp: newAddress() })).kind).toBe('unknown');
    expect((await hit(unknownHash(), start + 2 * minute, { sourceIp })).kind).toBe('unknown');
  });

  it('count together for all addresses of one IPv6 network, and for an IPv4 address in either form', async () => {
    for (const [one, other] of [
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
      ['198.51.100.7', '::ffff:198.51.100.7'],
    ]) {
      await Promise.all(Array.from({ length: 12 }, () => hit(unknownHash(), start, { sourceIp: one ?? '' })));
      expect((await hit(unknownHash(), start, { sourceIp: other ?? '' })).kind).toBe('limited');
    }
    expect((await hit(unknownHash(), start, { sourceIp: '2001:db8:1:3::1' })).kind).toBe('unknown');
  });

  // What is beyond the first 600 costs nothing but reads. With MADE_UP_TOKENS=10000 it takes half a minute.
  const requestCount = Number(process.env.MADE_UP_TOKENS ?? 1000);

  it(`cost at most 700 write units for ${requestCount} requests from one address within a minute`, async () => {
    const sourceIp = newAddress();
    const more = { sourceIp, limitPerMinute: 600 };
    const units = countUnits();
    const verdicts = await inTurn(
      Array.from({ length: requestCount }, (_, at) => at),
      (at) => hit(unknownHash(), start + at, { ...more, endpoint: `GET /endpoint-${at % 50}` }),
      8,
    );
    expect(verdicts.filter(({ kind }) => kind === 'unknown')).toHaveLength(600);
    expect(units.writes).toBeLessThanOrEqual(700);
    // Below the limit a consistent read, beyond it half of one.
    expect(units.reads).toBeLessThanOrEqual(600 + (requestCount - 600) / 2 + 50);
  });

  it('keep no valid key out that shares their address, neither a known one nor one that is new to the function', async () => {
    const sourceIp = newAddress();
    const [known, another, elsewhere] = [await newTokenHash(), await newTokenHash(), await newTokenHash()];
    await hit(known, start, { sourceIp });
    await Promise.all(Array.from({ length: 30 }, () => hit(unknownHash(), start, { sourceIp })));
    for (const token of [known, another]) expect((await hit(token, start, { sourceIp })).kind).toBe('known');
    const units = countUnits();
    expect((await hit(elsewhere, start, { sourceIp })).kind).toBe('known');
    expect((await hit(elsewhere, start, { sourceIp })).kind).toBe('known');
    expect(units).toEqual({ writes: 2, reads: 0.5, calls: 3 });
  });

  it('leave counters that expire', async () => {
    const sourceIp = newAddress();
    await hit(unknownHash(), start, { sourceIp });
    expect((await itemAt(unknownTokensKey(sourceIp))).ttl).toBe((start + 2 * minute) / 1000);
  });
});

describe('the keys of a program', () => {
  it('may each use their whole limit while they are three', async () => {
    const { programId, apiKey } = await makeProgram();
    const others = await Promise.all([2, 3].map(() => createApiKey(programId, 'Another', new Date())));
    const sourceIp = newAddress();
    const units = countUnits();
    for (const key of [apiKey, ...others.map((other) => other.apiKey)])
      for (let count = 0; count < 12; count++)
        expect((await hit(hashOfToken(key), start, { sourceIp })).kind).toBe(count < 10 ? 'known' : 'limited');
    expect(units).toEqual({ writes: 30, reads: 0, calls: 30 });
  });

  it('use three times the limit of one together when they are more, in each function and in all together', async () => {
    const { programId, apiKey } = await makeProgram();
    const others = [];
    for (let count = 0; count < 5; count++) others.push(await createApiKey(programId, 'Another', new Date()));
    const tokens = [apiKey, ...others.map((other) => other.apiKey)].map(hashOfToken);
    const instances = [checkAccess, await anotherInstance()];
    let all = 0;
    for (let round = 0; round < 8; round++)
      for (const check of instances)
        all += passed(await Promise.all(tokens.map((token) => hit(token, start + round * 1000, {}, check))));
    expect(all).toBe(30);
    const refused = await hit(tokens[0] ?? '', start + 10_000);
    expect(refused.usage).toMatchObject({ limitPerMinute: 10, remaining: 0 });
    expect(refused.usage.retryAfterSeconds).toBeGreaterThan(40);
  });
});

describe('keys that are created and deleted', () => {
  const sharing = async (programId: string) =>
    Promise.all(
      (await allApiKeys(programId)).map(async ({ tokenHash }) => (await itemAt(tokenKey(tokenHash))).sharesLimit),
    );
  const create = (programId: string) => createApiKey(programId, 'Another', new Date());

  it('share a limit from the fourth key on, and not when they are three again', async () => {
    const { programId } = await makeProgram();
    await connectorToken(programId, 'platform.example', new Date());
    await create(programId);
    expect(await sharing(programId)).toEqual([false, false, false]);
    const { keyId } = await create(programId);
    expect(await sharing(programId)).toEqual([true, true, true, true]);
    await deleteApiKey(programId, keyId);
    expect(await sharing(programId)).toEqual([false, false, false]);
    await create(programId);
    await disconnect(programId);
    expect(await sharing(programId)).toEqual([false, false, false]);
  });

  it('never share less than they should when they are created at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { programId } = await makeProgram();
      await Promise.all(Array.from({ length: 3 + (round % 2) }, () => create(programId)));
      expect(new Set(await sharing(programId))).toEqual(new Set([true]));
    }
  });

  it('share a limit when one of four is deleted right before another is written', async () => {
    const { programId } = await makeProgram();
    const made = [await create(programId), await create(programId), await create(programId)];
    const send = documents.send.bind(documents);
    const spy = vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
      if (command.constructor.name === 'TransactWriteCommand') {
        spy.mockRestore();
        await deleteApiKey(programId, made[0]?.keyId ?? '');
      }
      return send(command);
    }) as typeof documents.send);
    await create(programId);
    expect(await sharing(programId)).toEqual([true, true, true, true]);
  });

  it('agree with how many there are when some are created while others are deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const { programId } = await makeProgram();
      const made = [await create(programId), await create(programId), await create(programId)];
      await Promise.all([
        ...made.slice(0, 1 + (round % 3)).map(({ keyId }) => deleteApiKey(programId, keyId)),
        ...Array.from({ length: 1 + (round % 2) }, () => create(programId)),
      ]);
      const flags = await sharing(programId);
      expect(flags).toEqual(flags.map(() => flags.length > 3));
    }
  });
});

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
