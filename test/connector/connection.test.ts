import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { apiWith, makeProgram, request } from '../support/program.ts';
import { connectorUrl, exchange, platformWith } from './platform.ts';

const connectedProgram = async () => {
  const program = await makeProgram();
  return { program, token: await connectorToken(program.programId, 'platform.example', new Date()) };
};

const outcome = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

describe('the token exchange', () => {
  it('returns the access token, which works on the connector and on the main API', async () => {
    const { program, token } = await connectedProgram();
    const { status, body, headers } = await exchange(`code=${token}`);
    expect({ status, body }).toEqual({ status: 200, body: { access_token: token } });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
    const connection = await platformWith(body.access_token).get('/test');
    expect(connection.body).toEqual({ program_name: 'Test program', program_id: program.programId, currency: 'USD' });
    expect((await apiWith(body.access_token).get('/program')).body.id).toBe(program.programId);
  });

  it('ignores what else platforms send, and takes JSON too', async () => {
    const { token } = await connectedProgram();
    const form = `grant_type=authorization_code&client_id=x&client_secret=y&code=${token}&redirect_uri=`;
    expect((await exchange(form)).body).toEqual({ access_token: token });
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code: token }) };
    expect((await request('POST', connectorUrl('/token'), json)).body).toEqual({ access_token: token });
  });

  it('says that a code is required where there is none', async () => {
    const required = { status: 400, body: { error: 'Code is required' } };
    for (const form of ['code=', '', 'other=1', 'code']) expect(outcome(await exchange(form)), form).toEqual(required);
    expect(outcome(await request('POST', connectorUrl('/token')))).toEqual(required);
  });

  it('refuses every code that is no connector token, and one whose connection was removed', async () => {
    const { program, token } = await connectedProgram();
    const invalid = { status: 400, body: { error: 'Invalid code' } };
    for (const code of [randomUUID(), 'x', '%00', `${token}x`, program.apiKey, ' '])
      expect(outcome(await exchange(`code=${code}`)), code).toEqual(invalid);
    await disconnect(program.programId, new Date());
    expect(outcome(await exchange(`code=${token}`))).toEqual(invalid);
  });

  it('keeps no response with a token for an Idempotency-Key', async () => {
    const { program, token } = await connectedProgram();
    const again = () =>
      request('POST', connectorUrl('/token'), {
        headers: { 'idempotency-key': token, 'content-type': 'application/x-www-form-urlencoded' },
        body: `code=${token}`,
      });
    expect((await again()).status).toBe(200);
    await disconnect(program.programId, new Date());
    expect((await again()).body).toEqual({ error: 'Invalid code' });
  });

  it('is refused like any request without the plan or the program', async () => {
    const { program, token } = await connectedProgram();
    await setPlan(program.ownerEmail, 'FREE');
    expect(outcome(await exchange(`code=${token}`))).toEqual({
      status: 403,
      body: { error: 'User does not have API access' },
    });
    await deleteProgram(program.programId);
    expect(outcome(await exchange(`code=${token}`))).toEqual({
      status: 404,
      body: { error: 'Affiliate program not found' },
    });
  });
});

describe('the connection test', () => {
  it('takes an API key too', async () => {
    const { programId, apiKey } = await makeProgram();
    expect((await platformWith(apiKey).get('/test')).body.program_id).toBe(programId);
  });

  it('fails with the status of the authentication and a constant name', async () => {
    const { program, token } = await connectedProgram();
    const failure = (status: number, error: string) => ({
      status,
      body: { error, program_name: 'Program not found' },
    });
    const test = async () => outcome(await platformWith(token).get('/test'));
    expect(outcome(await request('GET', connectorUrl('/test')))).toEqual(failure(401, 'Unauthorized'));
    await setPlan(program.ownerEmail, 'FREE');
    expect(await test()).toEqual(failure(403, 'User does not have API access'));
    await deleteProgram(program.programId);
    expect(await test()).toEqual(failure(404, 'Affiliate program not found'));
    await disconnect(program.programId, new Date());
    expect(await test()).toEqual(failure(401, 'Invalid auth token'));
  });
});
