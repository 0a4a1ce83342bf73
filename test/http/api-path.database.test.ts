import { randomInt, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { actorText } from '../../shared/contract/actor.ts';
import type { Operation } from '../../shared/contract/operation.ts';
import { deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { updateTokens } from '../../shared/domain/programs/repository.ts';
import { apiPath } from '../../shared/http/api.ts';
import { admitted } from '../../shared/platform/clients/admission.ts';
import { currentActor } from '../../shared/platform/table/actor.ts';
import { type Given, handlersOf, readThing, responseTo, type Sent } from './served-path.ts';

beforeEach(() => {
  for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
  vi.stubEnv('RATE_LIMIT_READS', '6');
  vi.stubEnv('RATE_LIMIT_WRITES', '4');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const read: Operation = { ...readThing, auth: 'key' };
const create: Operation = { ...read, id: 'createThing', method: 'POST' };
const exchange: Operation = {
  ...{ ...create, surface: 'connector', auth: 'code' },
  body: z.strictObject({ code: z.string() }),
};

const makeProgram = async () => {
  const ownerEmail = `${randomUUID()}@example.com`;
  const settings = { name: 'Asked', ownerEmail, currency: 'EUR', commissionRate: 30 };
  return { ownerEmail, ...(await createProgram(settings, new Date())) };
};
const withKey = (token: string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: { authorization: `Bearer ${token}`, ...sent.headers },
});

/** A path with a handler, and what that was given each time that it could have written. */
const path = (operations: readonly Operation[], respond: (request: Given) => unknown = () => ({})) => {
  const given: (Given & { actor: string | undefined })[] = [];
  const lambda = apiPath(
    ...handlersOf(operations, async (request) => {
      await admitted();
      given.push({ ...request, actor: currentActor() });
      return respond(request);
    }),
  );
  // Unknown keys are counted by address.
  const sourceIp = `2001:db8:${randomInt(0x10000).toString(16)}:${randomInt(0x10000).toString(16)}::1`;
  return { ask: (sent: Sent = {}) => responseTo(lambda, { sourceIp, ...sent }), given };
};

describe('a request', () => {
  it('with a key is served for its program, and says who asks', async () => {
    const { programId, apiKey, keyId } = await makeProgram();
    const token = await connectorToken(programId, 'platform.example', new Date());
    const { ask, given } = path([read]);
    const response = await ask(withKey(apiKey));
    expect((await ask(withKey(token))).status).toBe(200);
    expect(response.status).toBe(200);
    const program = { id: programId, currency: 'EUR', commissionRate: 30 };
    expect(given).toMatchObject([
      { program, keyId, actor: actorText({ type: 'API_KEY', id: keyId }) },
      { program, actor: expect.stringMatching(new RegExp(`^${actorText({ type: 'CONNECTED_APP', id: '' })}.`)) },
    ]);
  });

  it.each<{ what: string; headers: Record<string, string>; error: string }>([
    { what: 'no key', headers: {}, error: 'Unauthorized' },
    { what: 'another scheme', headers: { authorization: `Basic ${randomUUID()}` }, error: 'Unauthorized' },
    { what: 'an unknown key', headers: { authorization: `Bearer ${randomUUID()}` }, error: 'Invalid auth token' },
    { what: 'a key of another form', headers: { authorization: 'Bearer key' }, error: 'Invalid auth token' },
  ])('with $what is a 401, before its method is looked at', async ({ headers, error }) => {
    const { ask, given } = path([read]);
    expect(await ask({ headers })).toMatchObject({ status: 401, body: { error } });
    expect(await ask({ headers, method: 'PATCH' })).toMatchObject({ status: 401, body: { error } });
    expect(given).toEqual([]);
  });

  it('with a key of a plan without access, or of a deleted program, is refused', async () => {
    const { ask, given } = path([read]);
    const free = await makeProgram();
    await setPlan(free.ownerEmail, 'FREE');
    const error = 'User does not have API access';
    expect(await ask(withKey(free.apiKey))).toMatchObject({ status: 403, body: { error } });
    const deleted = await makeProgram();
    await deleteProgram(deleted.programId);
    expect(await ask(withKey(deleted.apiKey))).toMatchObject({
      ...{ status: 404, body: { error: 'Affiliate program not found' } },
    });
    expect(given).toEqual([]);
  });

  it('of a method that is not there is a 405 with a key', async () => {
    const { apiKey } = await makeProgram();
    const response = await path([read]).ask(withKey(apiKey, { method: 'PATCH' }));
    expect(response).toMatchObject({ status: 405, headers: { allow: 'GET', 'ratelimit-limit': '4' } });
  });

  it('says what is left of the limit, of reads and writes each', async () => {
    const { apiKey } = await makeProgram();
    const { ask } = path([read, create]);
    const leftAfter = async (method: string) => {
      const { status, headers } = await ask(withKey(apiKey, { method }));
      return [status, headers['ratelimit-limit'], headers['ratelimit-remaining']];
    };
    expect(await leftAfter('GET')).toEqual([200, '6', '5']);
    expect(await leftAfter('HEAD')).toEqual([200, '6', '4']);
    expect(await leftAfter('POST')).toEqual([200, '4', '3']);
  });

  it('beyond the limit is a 429 that says when to come again, and is not served', async () => {
    vi.stubEnv('RATE_LIMIT_READS', '1');
    const { apiKey } = await makeProgram();
    const { ask, given } = path([read]);
    expect((await ask(withKey(apiKey))).status).toBe(200);
    const response = await ask(withKey(apiKey));
    expect(response).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d?$/) } });
    expect(response.headers).toMatchObject({ 'ratelimit-limit': '1', 'ratelimit-remaining': '0' });
    expect(given).toHaveLength(1);
  });

  it('on the connector counts with its path, once', async () => {
    const { apiKey } = await makeProgram();
    const { ask } = path([{ ...read, connector: { selectors: [] } }]);
    const remaining = async (sent: Sent) => (await ask(withKey(apiKey, sent))).headers['ratelimit-remaining'];
    expect([await remaining({}), await remaining({ onConnector: true })]).toEqual(['5', '4']);
    const own = path([{ ...read, surface: 'connector' }]);
    expect((await own.ask(withKey(apiKey, { onConnector: true }))).headers['ratelimit-remaining']).toBe('5');
  });
});

describe('a request of a key that was seen before', () => {
  it.each<{ what: string; status: number; end: (program: Awaited<ReturnType<typeof makeProgram>>) => Promise<void> }>([
    { what: 'was deleted', status: 401, end: ({ programId, keyId }) => deleteApiKey(programId, keyId) },
    { what: 'lost its program', status: 404, end: ({ programId }) => deleteProgram(programId) },
    { what: 'lost its plan', status: 403, end: ({ ownerEmail }) => setPlan(ownerEmail, 'FREE') },
  ])('and $what since is a $status', async ({ status, end }) => {
    const program = await makeProgram();
    const { ask, given } = path([create]);
    expect((await ask(withKey(program.apiKey, { method: 'POST' }))).status).toBe(200);
    await end(program);
    expect((await ask(withKey(program.apiKey, { method: 'POST' }))).status).toBe(status);
    expect(given).toHaveLength(1);
  });

  it('has access again where it had none', async () => {
    const { ownerEmail, apiKey } = await makeProgram();
    await setPlan(ownerEmail, 'FREE');
    const { ask } = path([read]);
    expect((await ask(withKey(apiKey))).status).toBe(403);
    await setPlan(ownerEmail, 'BUSINESS');
    expect((await ask(withKey(apiKey))).status).toBe(200);
  });

  it('is served with what the key says now, and once', async () => {
    const { programId, apiKey } = await makeProgram();
    const { ask, given } = path([create], ({ program }) => program);
    await ask(withKey(apiKey, { method: 'POST' }));
    await updateTokens([programId], { commissionRate: 35 });
    const response = await ask(withKey(apiKey, { method: 'POST' }));
    expect(response).toMatchObject({ status: 200, body: { commissionRate: 35 } });
    expect(given).toHaveLength(2);
  });

  it('gets the error of its handler', async () => {
    const { apiKey } = await makeProgram();
    const { ask } = path([read], () => {
      throw new Error('broken');
    });
    expect((await ask(withKey(apiKey))).status).toBe(500);
    expect((await ask(withKey(apiKey))).status).toBe(500);
  });
});

describe('an exchange of a code', () => {
  const sentCode = (code: unknown): Sent => ({ method: 'POST', onConnector: true, body: JSON.stringify({ code }) });

  it('is served for the program of the connector token', async () => {
    const { programId } = await makeProgram();
    const token = await connectorToken(programId, 'platform.example', new Date());
    const { ask, given } = path([exchange]);
    expect((await ask(sentCode(token))).headers).toMatchObject({ 'ratelimit-remaining': '3' });
    expect(given).toMatchObject([{ program: { id: programId }, body: { code: token }, keyId: '', actor: undefined }]);
  });

  it.each<{ what: string; code: unknown; error: string; path?: string }>([
    { what: 'no code', code: undefined, error: 'Code is required' },
    { what: 'an empty code', code: '', error: 'Code is required' },
    { what: 'a code that is no text', code: 7, error: 'code must be a string', path: 'code' },
    { what: 'an unknown code', code: randomUUID(), error: 'Invalid code' },
    { what: 'a code of another form', code: 'x', error: 'Invalid code' },
  ])('with $what is a 400', async ({ code, error, path: field }) => {
    const { ask, given } = path([exchange]);
    const body = { error, ...(field && { details: [{ path: field, message: error }] }) };
    expect(await ask(sentCode(code))).toMatchObject({ status: 400, body });
    expect(given).toEqual([]);
  });

  it('with a body that is no object is a 400', async () => {
    const response = await path([exchange]).ask({ method: 'POST', onConnector: true, body: '"text"' });
    expect(response).toMatchObject({ status: 400, body: { error: 'Code is required' } });
  });

  it('with an API key, or for a plan without access, is refused', async () => {
    const { ownerEmail, programId, apiKey } = await makeProgram();
    const { ask, given } = path([exchange]);
    expect(await ask(sentCode(apiKey))).toMatchObject({ status: 400, body: { error: 'Invalid code' } });
    const token = await connectorToken(programId, 'platform.example', new Date());
    await setPlan(ownerEmail, 'FREE');
    expect((await ask(sentCode(token))).status).toBe(403);
    expect(given).toEqual([]);
  });
});
