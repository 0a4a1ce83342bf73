import { describe, expect, it } from 'vitest';
import { deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { updateTokens } from '../../shared/domain/programs/repository.ts';
import { create, makeProgram, path, read, withKey, withLimits } from './api-path.ts';

withLimits(6, 4);

describe('a request of a key that was seen before', () => {
  it.each<{ what: string; status: number; end: (program: Awaited<ReturnType<typeof makeProgram>>) => Promise<void> }>([
    { what: 'was deleted', status: 401, end: ({ programId, keyId }) => deleteApiKey(programId, keyId, new Date()) },
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
