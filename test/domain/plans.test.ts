import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { getAccount, type Plan } from '../../shared/domain/programs/accounts.ts';
import { apiKeyText, createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { createProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { allApiKeys, programsOf } from '../../shared/domain/programs/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { inTurn } from '../support/in-turn.ts';
import { apiWith, makeProgram } from '../support/program.ts';

const now = new Date();
const freshEmail = () => `owner-${randomUUID()}@example.com`;

/** The status that each key of an account's programs gets, the connector token included. */
const statusesOf = async (ownerEmail: string): Promise<number[]> => {
  const keysOf = async ({ id }: { id: string }) =>
    (await allApiKeys(id)).map(async (key) => (await apiWith(await apiKeyText(id, key)).get('/program')).status);
  const statuses = await inTurn(await programsOf(ownerEmail), keysOf);
  return Promise.all(statuses.flat());
};

/** The plans that an account's programs have, which decide whether webhooks are sent. */
const plansOf = async (ownerEmail: string): Promise<Plan[]> => (await programsOf(ownerEmail)).map(({ plan }) => plan);

/** Sets a plan in the very moment in which a key is about to be written that was made for another one. */
const setPlanBeforeTheWrite = (ownerEmail: string, plan: Plan): void => {
  const send = documents.send.bind(documents);
  const spy = vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
    if (command.constructor.name === 'TransactWriteCommand') {
      spy.mockRestore();
      await setPlan(ownerEmail, plan);
    }
    return send(command);
  }) as typeof documents.send);
};

describe('a plan that is set while a key is made', () => {
  const ways: [string, (owner: { programId: string; ownerEmail: string }) => Promise<unknown>][] = [
    ['a key', ({ programId }) => createApiKey(programId, 'Another', now)],
    ['a connector token', ({ programId }) => connectorToken(programId, 'platform.example', now)],
  ];

  it.each(ways)('holds for %s', async (_, make) => {
    const { programId, ownerEmail } = await makeProgram();
    setPlanBeforeTheWrite(ownerEmail, 'FREE');
    await make({ programId, ownerEmail });
    expect(await statusesOf(ownerEmail)).toEqual([403, 403]);
    setPlanBeforeTheWrite(ownerEmail, 'BUSINESS');
    await createApiKey(programId, 'One more', now);
    expect(await statusesOf(ownerEmail)).toEqual([200, 200, 200]);
  });

  it('holds for a program: it is not made on the FREE plan beside another one', async () => {
    const { ownerEmail } = await makeProgram();
    setPlanBeforeTheWrite(ownerEmail, 'FREE');
    await expect(createProgram({ name: 'Another', ownerEmail }, now)).rejects.toThrow('at most 1 program');
    expect(await statusesOf(ownerEmail)).toEqual([403]);
    await setPlan(ownerEmail, 'BUSINESS');
    await createProgram({ name: 'Another', ownerEmail }, now);
    expect(await statusesOf(ownerEmail)).toEqual([200, 200]);
  });

  it('holds for all of many keys', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { programId, ownerEmail } = await makeProgram();
      await Promise.all([
        ...Array.from({ length: 4 }, () => createApiKey(programId, 'Before', now)),
        setPlan(ownerEmail, 'FREE'),
        ...Array.from({ length: 4 }, () => createApiKey(programId, 'After', now)),
        connectorToken(programId, 'platform.example', now),
      ]);
      expect(await statusesOf(ownerEmail)).toEqual(Array.from({ length: 10 }, () => 403));
    }
  });

  it('holds where the first program of an account is made', async () => {
    const ownerEmail = freshEmail();
    setPlanBeforeTheWrite(ownerEmail, 'FREE');
    await createProgram({ name: 'First', ownerEmail }, now);
    expect((await getAccount(ownerEmail))?.plan).toBe('FREE');
    expect(await plansOf(ownerEmail)).toEqual(['FREE']);
    expect(await statusesOf(ownerEmail)).toEqual([403]);
  });
});

it('plans that are set at once leave every key with the one that the account has', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { programId, ownerEmail } = await makeProgram();
    await Promise.all(Array.from({ length: 4 }, () => createApiKey(programId, 'Another', now)));
    await Promise.all((['FREE', 'BUSINESS', 'FREE'] as const).map((plan) => setPlan(ownerEmail, plan)));
    const status = (await getAccount(ownerEmail))?.plan === 'FREE' ? 403 : 200;
    expect(await statusesOf(ownerEmail)).toEqual(Array.from({ length: 5 }, () => status));
    expect(await plansOf(ownerEmail)).toEqual([(await getAccount(ownerEmail))?.plan]);
  }
});
