import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { checkAccess } from '../../../shared/domain/access/check-access.ts';
import { type AccessToken, hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import {
  accountKey,
  findOrMakeAccount,
  getAccount,
  includesWebhooks,
  membershipsOf,
  membershipWrite,
  programIdsOf,
} from '../../../shared/domain/programs/accounts.ts';
import {
  apiKeyText,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  readApiKey,
} from '../../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../../shared/domain/programs/connection.ts';
import { endAllSessions, endSession, isSessionEnded } from '../../../shared/domain/programs/ended-sessions.ts';
import { createProgram, deleteProgram, setPlan } from '../../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { allApiKeys, findConnection, getProgram, programsOf } from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { deleteItem, getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { at, now, outcomeOf } from '../../support/domain.ts';
import { sharesInTheEnd } from '../../support/shares-limit.ts';

const freshEmail = () => `owner-${randomUUID()}@example.com`;
const begin = async (terms: Partial<Parameters<typeof createProgram>[0]> = {}) => {
  const ownerEmail = freshEmail();
  return { ownerEmail, ...(await createProgram({ name: 'Acme', ownerEmail, ...terms }, now)) };
};

const tokenOf = async (tokenHash: string) =>
  (await getItem('traffic', tokenKey(tokenHash))) as (AccessToken & { counts: object }) | undefined;
const tokensOf = async (programId: string) =>
  Promise.all((await allApiKeys(programId)).map(({ tokenHash }) => tokenOf(tokenHash)));
const whole = bounds.keysWithWholeRateLimit;

describe('the list of keys', () => {
  it('says who made each and when it was last used, and not what it is', async () => {
    const { ownerEmail, programId, apiKey, keyId } = await begin();
    await connectorToken(programId, 'platform.example', now, ownerEmail);
    const { keyId: second, apiKey: text } = await createApiKey(programId, 'Shop', now);
    await checkAccess({
      tokenHash: hashOfToken(apiKey),
      sourceIp: '192.0.2.1',
      endpoint: 'GET /sales',
      limitPerMinute: 9,
      now: new Date(at(90_000)),
    });
    const common = { createdAt: at(0) };
    const first = { id: keyId, name: 'First key', lastFour: apiKey.slice(-4), createdBy: ownerEmail };
    const listed = await listApiKeys(programId);
    expect(listed.toSorted((one) => (one.id === keyId ? -1 : 1))).toEqual([
      { ...common, ...first, lastUsedAt: at(60_000) },
      { ...common, id: second, name: 'Shop', lastFour: text.slice(-4), createdBy: null, lastUsedAt: null },
    ]);
  });

  it('is 404 for a program that is gone, and so is a key of another one', async () => {
    const [{ programId }, other] = [await begin(), await begin()];
    expect(await outcomeOf(() => readApiKey(programId, other.keyId))).toEqual({ status: 404 });
    expect(await outcomeOf(() => readApiKey(programId, randomUUID()))).toEqual({ status: 404 });
    expect((await readApiKey(other.programId, other.keyId)).id).toBe(other.keyId);
    await deleteProgram(programId);
    expect(await outcomeOf(() => listApiKeys(programId))).toEqual({ status: 404 });
  });
});

describe('a key', () => {
  it('has a slot of its own, which a connector token needs none of', async () => {
    const { programId } = await begin();
    await createApiKey(programId, 'Shop', now, 'amara@example.com');
    await connectorToken(programId, 'platform.example', now);
    const keys = await allApiKeys(programId);
    const slots = keys.filter(({ kind }) => kind === 'API').map(({ slot }) => slot);
    expect(new Set(slots).size).toBe(2);
    for (const slot of slots) expect(slot).toBeTypeOf('number');
    const connection = await findConnection(programId);
    expect(connection).toMatchObject({ kind: 'CONNECTOR', platforms: ['platform.example'] });
    expect(connection).not.toHaveProperty('slot');
  });

  it('is shown with the text that it was made with, only in its own program', async () => {
    const { programId, keyId, apiKey } = await begin();
    const key = await readApiKey(programId, keyId);
    expect(await apiKeyText(programId, key)).toBe(apiKey);
    await expect(apiKeyText(randomUUID(), key)).rejects.toThrow('cannot be decrypted');
    await expect(apiKeyText(programId, { ...key, id: randomUUID() })).rejects.toThrow('cannot be decrypted');
  });

  it('of many shares the limit from its first moment, and of few keeps the whole one', async () => {
    const { programId } = await begin();
    const sharing = async (apiKey: string) => sharesInTheEnd(await tokenOf(hashOfToken(apiKey)));
    for (let count = 2; count <= whole + 2; count++) {
      const { apiKey } = await createApiKey(programId, `Key ${count}`, now);
      expect(await sharing(apiKey)).toBe(count > whole);
    }
    const keys = await allApiKeys(programId);
    const flags = async () => new Set((await tokensOf(programId)).map((token) => sharesInTheEnd(token)));
    expect(await flags()).toEqual(new Set([true]));
    for (const { id } of keys.slice(0, 1)) await deleteApiKey(programId, id, new Date());
    expect(await flags()).toEqual(new Set([true]));
    for (const { id } of keys.slice(1, 2)) await deleteApiKey(programId, id, new Date());
    expect(await flags()).toEqual(new Set([false]));
  });
});

describe('a connection', () => {
  it('is one token for all platforms, which are named once each', async () => {
    const { programId } = await begin();
    const first = await connectorToken(programId, 'one.example', now, 'amara@example.com');
    const { version } = (await findConnection(programId)) ?? {};
    expect(await connectorToken(programId, 'one.example', now)).toBe(first);
    expect((await findConnection(programId))?.version).toBe(version);
    expect(await connectorToken(programId, 'two.example', new Date(at(1)))).toBe(first);
    expect(await findConnection(programId)).toMatchObject({
      platforms: ['one.example', 'two.example'],
      name: 'Connector token',
      createdBy: 'amara@example.com',
      updatedAt: at(1),
    });
  });
});

describe('an edit of a program', () => {
  it('is what it sends, and every token has its currency and rate', async () => {
    const { programId } = await begin({ baseUrls: ['https://example.com/'], allowSelfReferral: true });
    await createApiKey(programId, 'Shop', now);
    const before = await getProgram(programId);
    expect(before).toMatchObject({ baseUrls: ['https://example.com/'], allowSelfReferral: true });
    const edit = {
      name: 'Acme 2',
      currency: 'JPY',
      commissionRate: 0,
      baseUrls: [],
      allowSelfReferral: false,
      accentColor: '#ffe600',
    };
    await updateProgram(programId, edit, new Date(at(1)));
    expect(await getProgram(programId)).toEqual({ ...before, ...edit, version: 2, updatedAt: at(1) });
    for (const token of await tokensOf(programId)) expect(token).toMatchObject({ currency: 'JPY', commissionRate: 0 });
  });
});

describe('rebuilt tokens', () => {
  const loseTokens = async (programId: string) => {
    for (const { tokenHash } of await allApiKeys(programId)) await deleteItem('traffic', tokenKey(tokenHash));
  };

  it.each([2, whole + 1])('of %i keys are as they were, and keep what they counted', async (count) => {
    const { programId, apiKey, ownerEmail } = await begin({ currency: 'JPY', commissionRate: 0 });
    for (let key = 1; key < count; key++) await createApiKey(programId, 'Shop', now);
    await setPlan(ownerEmail, 'FREE');
    const before = await tokensOf(programId);
    await loseTokens(programId);
    expect(await rebuildTokensOf(programId)).toEqual({ programs: 1, tokens: count, deletedMeanwhile: 0 });
    expect(await tokensOf(programId)).toEqual(before);
    const tokenHash = hashOfToken(apiKey);
    await checkAccess({ tokenHash, sourceIp: '192.0.2.1', endpoint: 'GET /sales', limitPerMinute: 9, now });
    const counted = await tokenOf(tokenHash);
    expect(Object.keys(counted?.counts ?? {})).not.toEqual([]);
    await rebuildTokensOf(programId);
    expect(await tokenOf(tokenHash)).toEqual(counted);
  });

  it('of a deleted program say so', async () => {
    const { programId, apiKey } = await begin();
    const tokenHash = hashOfToken(apiKey);
    await deleteProgram(programId);
    await loseTokens(programId);
    await rebuildTokensOf(programId);
    expect(await tokenOf(tokenHash)).toMatchObject({ programId, programDeleted: true, plan: 'FREE' });
  });
});

describe('an account', () => {
  it('is made FREE at the first sign-in, and keeps its plan at the next', async () => {
    const email = freshEmail();
    expect(await findOrMakeAccount(email)).toEqual({ email, plan: 'FREE' });
    await setPlan(email, 'BUSINESS');
    expect((await findOrMakeAccount(email)).plan).toBe('BUSINESS');
    expect([includesWebhooks('BUSINESS'), includesWebhooks('FREE')]).toEqual([true, false]);
  });

  it('owns its programs, newest first, and no others', async () => {
    const { ownerEmail, programId } = await begin();
    const later = await createProgram({ name: 'Second', ownerEmail }, new Date(at(1000)));
    await writeTogether([membershipWrite(ownerEmail, randomUUID(), { isAccepted: true })]);
    expect((await programsOf(ownerEmail)).map(({ id }) => id)).toEqual([later.programId, programId]);
    expect(new Set(await programIdsOf(ownerEmail))).toEqual(new Set([programId, later.programId]));
    expect(await programIdsOf(freshEmail())).toEqual([]);
  });

  it('has memberships page by page: a full last page has no next one', async () => {
    const email = freshEmail();
    await writeTogether(['1', '2', '3', '4'].map((id) => membershipWrite(email, id, { isAccepted: id === '3' })));
    const first = await membershipsOf(email, { limit: 2 });
    expect(first.items).toEqual([
      { programId: '4', isAccepted: false },
      { programId: '3', isAccepted: true },
    ]);
    expect(first.next).toBe('3');
    const last = await membershipsOf(email, { limit: 2, after: first.next });
    expect(last.items.map(({ programId }) => programId)).toEqual(['2', '1']);
    expect(last.next).toBeUndefined();
  });
});

describe('an ended session', () => {
  const session = (id: string, milliseconds = 0) => ({ id, startedAt: now.getTime() + milliseconds });
  const endsAt = now.getTime() + 3_600_000;
  const stateOf = async (email: string, ...sessions: ReturnType<typeof session>[]) => {
    const account = await getAccount(email);
    if (!account) throw new Error('The account is gone');
    return sessions.map((one) => isSessionEnded(account, one));
  };

  it('is ended at once, and no other one is', async () => {
    const { email } = await findOrMakeAccount(freshEmail());
    expect(await stateOf(email, session('a'))).toEqual([false]);
    await endSession(email, session('a'), endsAt, now);
    await endSession(email, session('b'), endsAt, now);
    await endSession(email, session('a'), endsAt, now);
    expect(await stateOf(email, session('a'), session('b'), session('c'))).toEqual([true, true, false]);
    expect((await getAccount(email))?.endedSessions).toEqual([
      { id: 'b', endsAt },
      { id: 'a', endsAt },
    ]);
  });

  it('is one of all that began until then, where all are ended', async () => {
    const { email } = await findOrMakeAccount(freshEmail());
    await endSession(email, session('a'), endsAt, now);
    await endAllSessions(email, now);
    expect(await stateOf(email, session('b', -1), session('c'), session('d', 1))).toEqual([true, true, false]);
    expect(await getAccount(email)).not.toHaveProperty('endedSessions');
    const nobody = freshEmail();
    await endAllSessions(nobody, now).catch(() => undefined);
    expect(await getAccount(nobody)).toBeUndefined();
  });

  it('is forgotten when it would have ended by itself', async () => {
    const { email } = await findOrMakeAccount(freshEmail());
    await endSession(email, session('a'), now.getTime(), now);
    await endSession(email, session('b'), now.getTime() + 1, now);
    await endSession(email, session('c'), endsAt, now);
    expect((await getAccount(email))?.endedSessions?.map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it(`is one of at most ${bounds.endedSessionsOfAccount} that are remembered; then all end`, async () => {
    const { email } = await findOrMakeAccount(freshEmail());
    const remembered = Array.from({ length: bounds.endedSessionsOfAccount - 1 }, (_, at) => ({ id: `s${at}`, endsAt }));
    await updateItem('records', accountKey(email), {
      UpdateExpression: 'SET endedSessions = :remembered',
      ExpressionAttributeValues: { ':remembered': remembered },
    });
    await endSession(email, session('the last'), endsAt, now);
    expect((await getAccount(email))?.endedSessions).toHaveLength(bounds.endedSessionsOfAccount);
    expect(await stateOf(email, session('other'))).toEqual([false]);
    await endSession(email, session('one more'), endsAt, now);
    expect(await stateOf(email, session('other'), session('one more'))).toEqual([true, true]);
    expect(await getAccount(email)).not.toHaveProperty('endedSessions');
  });
});
