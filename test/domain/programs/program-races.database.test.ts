import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { accountKey, findOrMakeAccount, getAccount, putAccount } from '../../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../../shared/domain/programs/connection.ts';
import { createProgram, deleteProgram, setPlan } from '../../../shared/domain/programs/programs.ts';
import { allApiKeys, apiKeys, getProgram, programsOf } from '../../../shared/domain/programs/repository.ts';
import { deleteItem, updateItem } from '../../../shared/platform/table/items.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { now, outcomeOf } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { storeAll } from '../../support/sales.ts';
import { begin, editOf, tokensOf } from './racing-program.ts';

describe('race: the first programs of a new owner', () => {
  it('are counted, also where the account is made in between', async () => {
    const ownerEmail = `owner-${randomUUID()}@example.com`;
    const create = () => createProgram({ name: 'Acme', ownerEmail }, now);
    await interrupted(create, create);
    expect(await getAccount(ownerEmail)).toMatchObject({ plan: 'BUSINESS', programCount: 2 });
    expect(await programsOf(ownerEmail)).toHaveLength(2);
  });

  it('are FREE where the owner signs in in between', async () => {
    const ownerEmail = `owner-${randomUUID()}@example.com`;
    const create = () => createProgram({ name: 'Acme', ownerEmail }, now);
    await interrupted(create, () => findOrMakeAccount(ownerEmail));
    expect((await programsOf(ownerEmail)).map(({ plan }) => plan)).toEqual(['FREE']);
    expect(await outcomeOf(create)).toEqual({ status: 400 });
  });
});

describe('race: the number of programs of an account', () => {
  it('counts one that is made in between', async () => {
    const { ownerEmail } = await begin();
    const create = () => createProgram({ name: 'Another', ownerEmail }, now);
    await interrupted(create, create);
    expect((await getAccount(ownerEmail))?.programCount).toBe(3);
  });

  it('begins with what there is where programs were never counted', async () => {
    const { ownerEmail } = await begin();
    await updateItem('records', accountKey(ownerEmail), { UpdateExpression: 'REMOVE programCount' });
    const create = () => createProgram({ name: 'Another', ownerEmail }, now);
    await interrupted(create, create);
    expect((await getAccount(ownerEmail))?.programCount).toBe(3);
  });

  it('is bounded by the plan that is set in between', async () => {
    const { ownerEmail } = await begin();
    const create = () => createProgram({ name: 'Another', ownerEmail }, now);
    const outcome = await outcomeOf(() => interrupted(create, () => putAccount({ email: ownerEmail, plan: 'FREE' })));
    expect(outcome).toEqual({ status: 400 });
    expect((await getAccount(ownerEmail))?.programCount).toBe(1);
  });

  it('goes down once where a program is deleted twice, or edited in between', async () => {
    const { ownerEmail, programId } = await begin();
    const another = await createProgram({ name: 'Another', ownerEmail }, now);
    await interrupted(
      () => deleteProgram(programId),
      () => editOf(programId, { name: 'Edited' }),
    );
    const remove = () => deleteProgram(another.programId);
    expect(await outcomeOf(() => interrupted(remove, remove))).toEqual({ status: 404 });
    expect((await getAccount(ownerEmail))?.programCount).toBe(0);
  });
});

describe('race: a new key', () => {
  const makers: { is: string; make: (programId: string) => Promise<unknown> }[] = [
    { is: 'an API key', make: (programId) => createApiKey(programId, 'Another', now) },
    { is: 'the connector token', make: (programId) => connectorToken(programId, 'platform.example', now) },
  ];

  it.each(makers)('$is has the plan that is set in between', async ({ make }) => {
    const { ownerEmail, programId } = await begin();
    await interrupted(
      () => make(programId),
      () => setPlan(ownerEmail, 'FREE'),
    );
    expect((await tokensOf(programId)).map(({ plan }) => plan)).toEqual(['FREE', 'FREE']);
  });

  it.each(makers)('$is has the currency and rate that are set in between', async ({ make }) => {
    const { programId } = await begin();
    const { commissionRate } = await getProgram(programId);
    await interrupted(
      () => make(programId),
      () => editOf(programId, { currency: 'EUR' }),
    );
    await deleteApiKey(
      programId,
      (await allApiKeys(programId)).find(({ kind }) => kind === 'API')?.id ?? '',
      new Date(),
    );
    await interrupted(
      () => createApiKey(programId, 'One more', now),
      () => editOf(programId, { commissionRate: 5 }),
    );
    expect(commissionRate).not.toBe(5);
    for (const token of await tokensOf(programId)) expect(token).toMatchObject({ currency: 'EUR', commissionRate: 5 });
  });

  it.each(makers)('$is of a program that is deleted in between is a 404, and none is left', async ({ make }) => {
    const { programId } = await begin();
    const before = await allApiKeys(programId);
    const outcome = await outcomeOf(() =>
      interrupted(
        () => make(programId),
        () => deleteProgram(programId),
      ),
    );
    expect(outcome).toEqual({ status: 404 });
    expect(await allApiKeys(programId)).toHaveLength(before.length);
  });

  it('for the last slot, which another one takes in between, is refused', async () => {
    const { programId } = await begin();
    const [first] = await allApiKeys(programId);
    if (!first) throw new Error('A new program has a key');
    const others = Array.from({ length: bounds.keysOfProgram - 2 }, (_, at) => ({
      ...first,
      id: newRecordId(now),
      tokenHash: randomUUID(),
      slot: at + 1,
    }));
    await storeAll(others.flatMap((key) => apiKeys.createWrites(programId, key)));
    const create = () => createApiKey(programId, 'Another', now);
    // Before it is written, its elders are told that they share the rate limit.
    expect(await outcomeOf(() => interrupted(create, create, 'transaction'))).toEqual({ status: 400 });
    expect(await allApiKeys(programId)).toHaveLength(bounds.keysOfProgram);
  });

  it('of an account that appears in between has its plan', async () => {
    const { ownerEmail, programId } = await begin();
    await deleteItem('records', accountKey(ownerEmail));
    await interrupted(
      () => createApiKey(programId, 'Another', now),
      () => setPlan(ownerEmail, 'BUSINESS'),
    );
    expect((await tokensOf(programId)).map(({ plan }) => plan)).toEqual(['BUSINESS', 'BUSINESS']);
  });
});

describe('race: a key', () => {
  it('that is deleted twice at once is a 404 for the second, and is gone', async () => {
    const { programId } = await begin();
    const { keyId } = await createApiKey(programId, 'Another', now);
    const remove = () => deleteApiKey(programId, keyId, new Date());
    expect(await outcomeOf(() => interrupted(remove, remove))).toEqual({ status: 404 });
    expect(await tokensOf(programId)).toHaveLength(1);
  });
});
