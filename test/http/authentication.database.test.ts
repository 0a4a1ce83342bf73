import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { actorText } from '../../shared/contract/actor.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { create, makeProgram, path, read, withKey, withLimits } from './api-path.ts';
import type { Sent } from './served-path.ts';

withLimits(6, 4);

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
      status: 404,
      body: { error: 'Affiliate program not found' },
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

  it('of one record counts with the list', async () => {
    const { apiKey } = await makeProgram();
    const one = { ...read, id: 'readOneThing', path: '/things/{id}' as const };
    const { ask } = path([read, { ...one, parameters: z.strictObject({ id: z.string() }) }]);
    const remaining = async (sent: Sent) => (await ask(withKey(apiKey, sent))).headers['ratelimit-remaining'];
    const sentForOne = { path: '/things/{id}', parameters: { id: 'a' } } as const;
    expect([await remaining({}), await remaining(sentForOne), await remaining({})]).toEqual(['5', '4', '3']);
  });

  it('on the connector counts with its path, once', async () => {
    const { apiKey } = await makeProgram();
    const { ask } = path([{ ...read, connector: true }]);
    const remaining = async (sent: Sent) => (await ask(withKey(apiKey, sent))).headers['ratelimit-remaining'];
    expect([await remaining({}), await remaining({ onConnector: true })]).toEqual(['5', '4']);
    const own = path([{ ...read, surface: 'connector' }]);
    expect((await own.ask(withKey(apiKey, { onConnector: true }))).headers['ratelimit-remaining']).toBe('5');
  });
});
