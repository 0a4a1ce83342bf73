import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AccessToken, hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { getAccount } from '../../../shared/domain/programs/accounts.ts';
import { deleteProgram, setPlan } from '../../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import {
  allApiKeys,
  apiKeys,
  createTokenWrite,
  getProgram,
  programs,
  programsOf,
  type StoredApiKey,
  StoredProgram,
  updateTokens,
} from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { now, outcomeOf, storeAffiliate, storeSale } from '../../support/domain.ts';
import { storeAll } from '../../support/sales.ts';
import { begin, tokenOf, tokensOf } from './owned-program.ts';

/** As many keys as a program had before their number was bounded. */
const withManyKeys = async (count: number) => {
  const { ownerEmail, programId } = await begin();
  const { currency, commissionRate } = await getProgram(programId);
  const writes = Array.from({ length: count }, () => {
    const tokenHash = hashOfToken(randomUUID());
    const fields = { id: newRecordId(now), createdAt: now.toISOString(), updatedAt: now.toISOString(), version: 1 };
    const key: StoredApiKey = {
      ...fields,
      name: 'Old',
      tokenHash,
      lastFour: '0000',
      kind: 'API',
      platforms: [],
      createdBy: null,
      sealedKey: '',
      seenBy: [],
    };
    const token = {
      programId,
      keyId: key.id,
      kind: 'API',
      plan: 'BUSINESS',
      currency,
      commissionRate,
      timeZone: 'UTC',
      reviewsSales: false,
    } as const;
    return {
      key: apiKeys.createWrites(programId, key),
      token: createTokenWrite(tokenHash, { ...token, programDeleted: false, sharesLimit: true }),
    };
  });
  await storeAll(writes.flatMap(({ key }) => key));
  await storeAll(writes.map(({ token }) => token));
  return { ownerEmail, programId };
};

describe('of a program with more than 100 keys', () => {
  it('every token learns of a plan, an edit, a rebuild and the deletion', async () => {
    const { ownerEmail, programId } = await withManyKeys(101);
    const expectTokens = async (expected: Partial<AccessToken>) => {
      const tokens = await tokensOf(programId);
      expect(tokens).toHaveLength(102);
      for (const token of tokens) expect(token).toMatchObject(expected);
    };
    await setPlan(ownerEmail, 'FREE');
    const { name, baseUrls, allowSelfReferral } = await getProgram(programId);
    const edit = { name, baseUrls, allowSelfReferral, currency: 'EUR', commissionRate: 5 };
    await updateProgram(programId, edit, now);
    await expectTokens({ plan: 'FREE', currency: 'EUR', commissionRate: 5 });
    const keys = await allApiKeys(programId);
    for (const { tokenHash } of keys.slice(0, 2)) await deleteItem('traffic', tokenKey(tokenHash));
    expect(await rebuildTokensOf(programId)).toEqual({ programs: 1, tokens: 102, deletedMeanwhile: 0 });
    await expectTokens({ plan: 'FREE', currency: 'EUR', commissionRate: 5, sharesLimit: true });
    await deleteProgram(programId);
    await expectTokens({ programDeleted: true });
  });
});

describe('an edit of a program', () => {
  const edit = { name: 'Acme', baseUrls: [], allowSelfReferral: false, currency: 'USD', commissionRate: 20 };

  it.each([
    { hasSale: false, currency: 'EUR', outcome: 'accepted' },
    { hasSale: true, currency: 'EUR', outcome: { status: 400, path: 'currency' } },
    { hasSale: true, currency: 'USD', outcome: 'accepted' },
  ])('to $currency where it has sales: $hasSale', async ({ hasSale, currency, outcome }) => {
    const { programId } = await begin();
    const program = await getProgram(programId);
    if (hasSale) await storeSale(program, (await storeAffiliate(program)).id);
    const edited = { ...edit, currency, commissionRate: 7 };
    expect(await outcomeOf(() => updateProgram(programId, edited, now))).toEqual(outcome);
    const isMade = outcome === 'accepted';
    expect((await tokensOf(programId)).map((token) => token?.commissionRate)).toEqual([isMade ? 7 : 20]);
    expect((await getProgram(programId)).version).toBe(isMade ? 2 : 1);
  });

  it('sets its time zone, and keeps it where the edit has none', async () => {
    const { programId } = await begin();
    await updateProgram(programId, { ...edit, timeZone: 'Asia/Tokyo' }, now);
    await updateProgram(programId, { ...edit, timeZone: undefined }, now);
    const program = await getProgram(programId);
    expect(program.timeZone).toBe('Asia/Tokyo');
    // One from before this setting.
    const { timeZone: _, ...earlier } = program;
    expect(StoredProgram.parse(earlier).timeZone).toBe('UTC');
  });

  it('that is gone is refused', async () => {
    const { programId } = await begin();
    await deleteProgram(programId);
    expect(await outcomeOf(() => updateProgram(programId, edit, now))).toEqual({ status: 404 });
  });
});

describe('a deleted program', () => {
  it('is gone for its owner and for every key', async () => {
    const { ownerEmail, programId, apiKey } = await begin();
    await deleteProgram(programId);
    expect((await tokenOf(apiKey))?.programDeleted).toBe(true);
    expect(await programs.get(programId, programId)).toBeUndefined();
    expect(await programsOf(ownerEmail)).toEqual([]);
    expect(await outcomeOf(() => deleteProgram(programId))).toEqual({ status: 404 });
    expect((await getAccount(ownerEmail))?.programCount).toBe(0);
  });
});

describe('updateTokens', () => {
  it('brings back no token that was deleted', async () => {
    const { programId, apiKey } = await begin();
    await deleteItem('traffic', tokenKey(hashOfToken(apiKey)));
    await updateTokens([programId], { plan: 'FREE' });
    expect(await tokenOf(apiKey)).toBeUndefined();
  });
});
