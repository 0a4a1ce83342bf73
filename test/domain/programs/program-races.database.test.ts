import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { AccessToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { accountKey, findOrMakeAccount, getAccount, putAccount } from '../../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../../shared/domain/programs/connection.ts';
import { endAllSessions, endSession, isSessionEnded } from '../../../shared/domain/programs/ended-sessions.ts';
import { createProgram, deleteProgram, setPlan } from '../../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import {
  allApiKeys,
  apiKeys,
  findConnection,
  getProgram,
  programsOf,
} from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { deleteItem, getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { now, outcomeOf } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { storeAll } from '../../support/sales.ts';

const begin = async () => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  const { programId } = await createProgram({ name: 'Acme', ownerEmail, plan: 'BUSINESS' }, now);
  return { ownerEmail, programId };
};

const tokensOf = async (programId: string) =>
  Promise.all(
    (await allApiKeys(programId)).map(async ({ tokenHash }) =>
      AccessToken.parse(await getItem('traffic', tokenKey(tokenHash))),
    ),
  );

const editOf = async (programId: string, changes: { name?: string; currency?: string; commissionRate?: number }) => {
  const { name, baseUrls, allowSelfReferral, currency, commissionRate } = await getProgram(programId);
  return updateProgram(programId, { name, baseUrls, allowSelfReferral, currency, commissionRate, ...changes }, now);
};

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

describe('race: the connection of a platform', () => {
  it('is made once, and names both platforms', async () => {
    const { programId } = await begin();
    const connect = (platform: string) => connectorToken(programId, platform, now);
    const tokens: string[] = [];
    tokens.push(
      await interrupted(
        () => connect('one.example'),
        async () => tokens.push(await connect('other.example')),
      ),
    );
    expect(tokens[0]).toBe(tokens[1]);
    expect((await findConnection(programId))?.platforms).toEqual(['other.example', 'one.example']);
  });

  it('keeps a platform that is added in between', async () => {
    const { programId } = await begin();
    const connect = (platform: string) => () => connectorToken(programId, platform, now);
    await connect('one.example')();
    await interrupted(connect('two.example'), connect('three.example'));
    expect((await findConnection(programId))?.platforms.toSorted()).toEqual([
      'one.example',
      'three.example',
      'two.example',
    ]);
  });
});

describe('race: an edit of a program', () => {
  it('overtaken by another one keeps the later values, and the tokens agree', async () => {
    const { programId } = await begin();
    await interrupted(
      () => editOf(programId, { commissionRate: 5 }),
      () => editOf(programId, { commissionRate: 6 }),
    );
    expect(await getProgram(programId)).toMatchObject({ commissionRate: 5, version: 3 });
    expect((await tokensOf(programId)).map(({ commissionRate }) => commissionRate)).toEqual([5]);
  });

  it('that tells the tokens late tells them the newest values', async () => {
    const { programId } = await begin();
    await interrupted(
      () => editOf(programId, { commissionRate: 5 }),
      () => editOf(programId, { commissionRate: 6 }),
      2,
    );
    expect((await getProgram(programId)).commissionRate).toBe(6);
    expect((await tokensOf(programId)).map(({ commissionRate }) => commissionRate)).toEqual([6]);
  });

  it('overtakes the plan that is set, which comes through', async () => {
    const { ownerEmail, programId } = await begin();
    // The first write is that of the account, the second that of the program.
    await interrupted(
      () => setPlan(ownerEmail, 'FREE'),
      () => editOf(programId, { name: 'Edited' }),
      2,
    );
    expect(await getProgram(programId)).toMatchObject({ name: 'Edited', plan: 'FREE' });
  });

  it('leaves a key deleted that goes before its token is told', async () => {
    const { programId } = await begin();
    const { keyId } = await createApiKey(programId, 'Another', now);
    const hash = (await allApiKeys(programId)).find(({ id }) => id === keyId)?.tokenHash ?? '';
    await interrupted(
      () => editOf(programId, { commissionRate: 5 }),
      () => deleteApiKey(programId, keyId, new Date()),
      2,
    );
    expect(await getItem('traffic', tokenKey(hash))).toBeUndefined();
  });
});

describe('race: a plan', () => {
  it('that is set while another one is told to the tokens is the one that they have', async () => {
    const { ownerEmail, programId } = await begin();
    // Account, program, token: the other plan comes before the last of them.
    await interrupted(
      () => setPlan(ownerEmail, 'FREE'),
      () => setPlan(ownerEmail, 'BUSINESS'),
      3,
    );
    expect((await tokensOf(programId)).map(({ plan }) => plan)).toEqual(['BUSINESS']);
    expect((await getProgram(programId)).plan).toBe('BUSINESS');
  });
});

describe('race: rebuilt tokens', () => {
  it.each([
    {
      is: 'the plan',
      act: ({ ownerEmail }: { ownerEmail: string }) => setPlan(ownerEmail, 'FREE'),
      has: { plan: 'FREE' },
    },
    {
      is: 'the rate',
      act: ({ programId }: { programId: string }) => editOf(programId, { commissionRate: 5 }),
      has: { commissionRate: 5 },
    },
  ])('have $is that is set in between', async ({ act, has }) => {
    const owner = await begin();
    await interrupted(
      () => rebuildTokensOf(owner.programId),
      () => act(owner),
    );
    expect((await tokensOf(owner.programId))[0]).toMatchObject(has);
  });

  it('leave out a key that is deleted in between', async () => {
    const { programId } = await begin();
    const [key] = await allApiKeys(programId);
    const rebuilt = await interrupted(
      () => rebuildTokensOf(programId),
      () => deleteApiKey(programId, key?.id ?? '', new Date()),
    );
    expect(rebuilt).toEqual({ programs: 1, tokens: 0, deletedMeanwhile: 1 });
    expect(await getItem('traffic', tokenKey(key?.tokenHash ?? ''))).toBeUndefined();
  });
});

describe('race: sessions that end', () => {
  const start = now.getTime() - 1000;
  const end = now.getTime() + 60_000;
  const session = (id: string) => ({ id, startedAt: start });

  it('are all remembered, the first ones of an account too', async () => {
    const { ownerEmail } = await begin();
    const ending = (id: string) => () => endSession(ownerEmail, session(id), end, now);
    await interrupted(ending('one'), ending('two'));
    await interrupted(ending('three'), ending('four'));
    const account = await getAccount(ownerEmail);
    const ended = ['one', 'two', 'three', 'four', 'five'].map((id) => account && isSessionEnded(account, session(id)));
    expect(ended).toEqual([true, true, true, true, false]);
  });

  it('of an account that is gone bring none back', async () => {
    const email = `owner-${randomUUID()}@example.com`;
    await endAllSessions(email, now);
    expect(await getAccount(email)).toBeUndefined();
    expect(await outcomeOf(() => endSession(email, session('one'), end, now))).toEqual({ status: 409 });
    expect(await getAccount(email)).toBeUndefined();
  });
});
