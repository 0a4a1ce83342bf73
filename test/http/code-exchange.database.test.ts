import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Operation } from '../../shared/contract/operation.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { setPlan } from '../../shared/domain/programs/programs.ts';
import { create, makeProgram, path, withLimits } from './api-path.ts';
import type { Sent } from './served-path.ts';

withLimits(6, 4);

const exchange: Operation = {
  ...create,
  surface: 'connector',
  auth: 'code',
  body: z.strictObject({ code: z.string() }),
};

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
