import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { getAccount, type Plan, putAccount } from '../../../shared/domain/programs/accounts.ts';
import { apiKeyText, createApiKey, deleteApiKey, listApiKeys } from '../../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../../shared/domain/programs/connection.ts';
import { createProgram, deleteProgram, setPlan } from '../../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { allApiKeys, apiKeys, getProgram, programsOf } from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import { now, outcomeOf } from '../../support/domain.ts';
import { sharesInTheEnd } from '../../support/shares-limit.ts';
import { begin, freshEmail, tokenOf, tokensOf } from './owned-program.ts';

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

describe('a new program', () => {
  it('has its defaults, its owner and a key that authentication knows', async () => {
    const { ownerEmail, programId, apiKey, keyId } = await begin();
    expect(await getProgram(programId)).toMatchObject({
      name: 'Acme',
      currency: 'USD',
      commissionRate: 20,
      baseUrls: [],
      allowSelfReferral: false,
      ownerEmail,
      plan: 'BUSINESS',
      version: 1,
    });
    expect(await tokenOf(apiKey)).toEqual({
      programId,
      keyId,
      timeZone: 'UTC',
      reviewsSales: false,
      kind: 'API',
      plan: 'BUSINESS',
      programDeleted: false,
      currency: 'USD',
      commissionRate: 20,
      sharesLimit: false,
    });
    expect(await getAccount(ownerEmail)).toMatchObject({ plan: 'BUSINESS', programCount: 1 });
    expect((await programsOf(ownerEmail)).map(({ id }) => id)).toEqual([programId]);
  });

  it.each([
    { ownerEmail: ' OWNER@Example.com ', outcome: 'accepted' },
    { ownerEmail: 'owner', outcome: { status: 400, path: 'ownerEmail' } },
    { ownerEmail: '', outcome: { status: 400, path: 'ownerEmail' } },
  ])('of "$ownerEmail"', async ({ ownerEmail, outcome }) => {
    expect(await outcomeOf(() => createProgram({ name: 'Acme', ownerEmail }, now))).toEqual(outcome);
  });

  it.each<{ plan: Plan; most: number }>([
    { plan: 'FREE', most: bounds.programsOfFreeAccount },
    { plan: 'BUSINESS', most: bounds.programsOfBusinessAccount },
  ])('is one of at most $most of a $plan account, and a deleted one makes room', async ({ plan, most }) => {
    const { ownerEmail, programId } = await begin(plan);
    await putAccount({ email: ownerEmail, plan });
    const another = () => outcomeOf(() => createProgram({ name: 'Another', ownerEmail }, now));
    for (let count = 1; count < most; count++) expect(await another()).toBe('accepted');
    expect(await another()).toEqual({ status: 400 });
    await deleteProgram(programId);
    expect((await getAccount(ownerEmail))?.programCount).toBe(most - 1);
    expect(await another()).toBe('accepted');
    expect(await another()).toEqual({ status: 400 });
  });
});

describe('a plan', () => {
  it.each<{ from: Plan; to: Plan }>([
    { from: 'BUSINESS', to: 'FREE' },
    { from: 'FREE', to: 'BUSINESS' },
  ])('set from $from to $to reaches account, programs and every token', async ({ from, to }) => {
    const { ownerEmail, programId } = await begin(from);
    await createApiKey(programId, 'Another', now);
    await connectorToken(programId, 'platform.example', now);
    const { version } = await getProgram(programId);
    await setPlan(ownerEmail.toUpperCase(), to);
    expect((await getAccount(ownerEmail))?.plan).toBe(to);
    // It is no edit of the program.
    expect(await getProgram(programId)).toMatchObject({ plan: to, version });
    expect((await tokensOf(programId)).map((token) => token?.plan)).toEqual([to, to, to]);
  });

  it('is that of the account for its next program and key, unless one is given', async () => {
    const { ownerEmail, programId } = await begin();
    await deleteProgram(programId);
    await setPlan(ownerEmail, 'FREE');
    const next = await createProgram({ name: 'Next', ownerEmail }, now);
    const { apiKey } = await createApiKey(next.programId, 'Another', now);
    expect((await getProgram(next.programId)).plan).toBe('FREE');
    expect((await tokenOf(apiKey))?.plan).toBe('FREE');
    await createProgram({ name: 'Paid', ownerEmail, plan: 'BUSINESS' }, now);
    expect((await tokenOf(apiKey))?.plan).toBe('BUSINESS');
  });
});

describe('an API key', () => {
  it('is shown again in the dashboard, and deleted at once', async () => {
    const { programId, apiKey: first } = await begin();
    const { keyId, apiKey } = await createApiKey(programId, 'Shop', now);
    const key = await apiKeys.get(programId, keyId);
    expect(key).toMatchObject({ name: 'Shop', kind: 'API', lastFour: apiKey.slice(-4) });
    expect(key && (await apiKeyText(programId, key))).toBe(apiKey);
    expect(JSON.stringify(key)).not.toContain(apiKey);
    await deleteApiKey(programId, keyId, new Date());
    expect(await tokenOf(apiKey)).toBeUndefined();
    expect(await tokenOf(first)).toBeDefined();
    expect(await outcomeOf(() => deleteApiKey(programId, keyId, new Date()))).toEqual({ status: 404 });
  });

  it('of another program, or the connector token, is none', async () => {
    const { programId } = await begin();
    const other = await begin();
    expect(await outcomeOf(() => deleteApiKey(programId, other.keyId, new Date()))).toEqual({ status: 404 });
    await connectorToken(programId, 'platform.example', now);
    const connection = (await allApiKeys(programId)).find(({ kind }) => kind === 'CONNECTOR');
    expect(await outcomeOf(() => deleteApiKey(programId, connection?.id ?? '', new Date()))).toEqual({ status: 404 });
    expect((await listApiKeys(programId)).map(({ name }) => name)).toEqual(['First key']);
  });

  it('of a program that is gone is refused', async () => {
    const { programId } = await begin();
    await deleteProgram(programId);
    expect(await outcomeOf(() => createApiKey(programId, 'Late', now))).toEqual({ status: 404 });
    expect(await outcomeOf(() => connectorToken(programId, 'platform.example', now))).toEqual({ status: 404 });
  });

  it('takes the rates of its program', async () => {
    const ownerEmail = freshEmail();
    const { programId } = await createProgram({ name: 'Acme', ownerEmail, currency: 'JPY', commissionRate: 0 }, now);
    const { apiKey } = await createApiKey(programId, 'Another', now);
    expect(await tokenOf(apiKey)).toMatchObject({ currency: 'JPY', commissionRate: 0, timeZone: 'UTC' });
    const { name, baseUrls, allowSelfReferral, currency, commissionRate } = await getProgram(programId);
    const timeZone = 'Asia/Tokyo';
    await updateProgram(programId, { name, baseUrls, allowSelfReferral, currency, commissionRate, timeZone }, now);
    const { apiKey: later } = await createApiKey(programId, 'Later', now);
    for (const key of [apiKey, later]) expect(await tokenOf(key)).toMatchObject({ timeZone });
    await deleteItem('traffic', tokenKey(hashOfToken(apiKey)));
    await rebuildTokensOf(programId);
    expect(await tokenOf(apiKey)).toMatchObject({ timeZone });
  });

  const whole = bounds.keysWithWholeRateLimit;
  it(`shares the rate limit from ${whole + 1} keys on, connector token included, and no more with ${whole}`, async () => {
    const { programId, keyId } = await begin();
    const sharing = async () => distinct((await tokensOf(programId)).map((token) => sharesInTheEnd(token)));
    for (let count = 2; count < whole; count++) await createApiKey(programId, 'Another', now);
    await connectorToken(programId, 'platform.example', now);
    expect(await allApiKeys(programId)).toHaveLength(whole);
    expect(await sharing()).toEqual([false]);
    await createApiKey(programId, 'One too many', now);
    expect(await sharing()).toEqual([true]);
    await deleteApiKey(programId, keyId, new Date());
    expect(await sharing()).toEqual([false]);
  });
});
