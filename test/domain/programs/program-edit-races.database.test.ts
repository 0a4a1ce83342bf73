import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokenKey } from '../../../shared/domain/access/token.ts';
import { getAccount } from '../../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../../shared/domain/programs/connection.ts';
import { endAllSessions, endSession, isSessionEnded } from '../../../shared/domain/programs/ended-sessions.ts';
import { setPlan } from '../../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { allApiKeys, findConnection, getProgram } from '../../../shared/domain/programs/repository.ts';
import { getItem } from '../../../shared/platform/table/items.ts';
import { now, outcomeOf } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { begin, editOf, tokensOf } from './racing-program.ts';

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
