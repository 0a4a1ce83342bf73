import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { createApiKey, deleteApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../../shared/domain/programs/connection.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { allApiKeys } from '../../../shared/domain/programs/repository.ts';
import { applySharing, limitUsersOf } from '../../../shared/domain/programs/shared-limit.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deleteItem, getItem } from '../../../shared/platform/table/items.ts';
import { disconnect } from '../../../shared/webhooks/endpoints/disconnect.ts';
import { interrupted } from '../../support/interrupted.ts';
import { sharesInTheEnd } from '../../support/shares-limit.ts';
import { storeProgram } from '../../support/webhooks.ts';
import { hits, limitPerMinute, minute, passed, start } from './hits.ts';

describe('the limit of a key that is replaced', () => {
  const now = new Date(start);
  const add = async (programId: string, at = now) => {
    const { keyId, apiKey } = await createApiKey(programId, 'Another', at);
    return { keyId, tokenHash: hashOfToken(apiKey) };
  };
  const begin = async () =>
    (await createProgram({ name: 'Acme', ownerEmail: `${randomUUID()}@example.com` }, now)).programId;
  const useUp = async (tokenHash: string, at = start) => passed(await hits(12, tokenHash, at));

  it('goes on where the deleted one was, however often it is replaced', async () => {
    const programId = await begin();
    const used: number[] = [];
    for (let times = 0; times < 5; times++) {
      const { keyId, tokenHash } = await add(programId);
      used.push(await useUp(tokenHash));
      await deleteApiKey(programId, keyId, now);
    }
    expect(used).toEqual([10, 0, 0, 0, 0]);
    const later = start + 3 * minute;
    expect(await useUp((await add(programId, new Date(later))).tokenHash, later)).toBe(10);
  });

  it('counts in full when a fourth key begins to share it, and when keys are deleted', async () => {
    const programId = await begin();
    const three = [await add(programId), await add(programId), await add(programId)];
    const used = [];
    for (const { tokenHash } of three) used.push(await useUp(tokenHash));
    // Four keys share the limit of three: a request at once with one that its key refuses may count there.
    expect(used.slice(0, 2)).toEqual([10, 10]);
    expect(used[2]).toBeLessThanOrEqual(10);
    const fifth = await add(programId);
    expect(await useUp(fifth.tokenHash)).toBe(0);
    for (const { keyId } of three) await deleteApiKey(programId, keyId, now);
    expect(await useUp(fifth.tokenHash, start + 1000)).toBe(0);
    expect(await useUp(fifth.tokenHash, start + 3 * minute)).toBe(10);
  });

  it('counts what three keys used alone as soon as a fourth is there', async () => {
    const programId = await begin();
    const [first] = await allApiKeys(programId);
    await deleteApiKey(programId, first?.id ?? '', now);
    const three = [await add(programId), await add(programId), await add(programId)];
    for (const { tokenHash } of three) expect(await useUp(tokenHash)).toBe(10);
    expect(await useUp((await add(programId)).tokenHash)).toBe(0);
  });

  it('race: create, use and delete in parallel, and the program never has more than the limits of three keys', async () => {
    const programId = await begin();
    let all = 0;
    const actor = async () => {
      for (let round = 0; round < 2; round++) {
        const { keyId, tokenHash } = await add(programId);
        const used = await useUp(tokenHash);
        all += used;
        await deleteApiKey(programId, keyId, now);
        expect(new Set((await hits(3, tokenHash, start)).map(({ kind }) => kind))).not.toContain('known');
      }
    };
    await Promise.all(Array.from({ length: 4 }, actor));
    expect(all).toBeGreaterThanOrEqual(limitPerMinute);
    expect(all).toBeLessThanOrEqual(3 * limitPerMinute);
  });

  it('race: is taken over by one of two keys that are created at once', async () => {
    const programId = await begin();
    const { keyId, tokenHash } = await add(programId);
    await useUp(tokenHash);
    await deleteApiKey(programId, keyId, now);
    let second: string | undefined;
    const first = await interrupted(
      () => add(programId),
      async () => {
        second = (await add(programId)).tokenHash;
      },
    );
    const used = [await useUp(first.tokenHash), await useUp(second ?? '')];
    expect(used.toSorted()).toEqual([0, 10]);
  });

  it.each([
    { of: 'a token that is deleted', isDeleted: false },
    { of: 'the counts of a deleted key that expire', isDeleted: true },
  ])('race: is not shared with $of meanwhile, or by what is not there', async ({ isDeleted }) => {
    const programId = await begin();
    const [key] = await allApiKeys(programId);
    await useUp(key?.tokenHash ?? '');
    if (isDeleted) await deleteApiKey(programId, key?.id ?? '', now);
    const users = await limitUsersOf(programId, now);
    const [gone, ...others] = [...users.keys.map(({ tokenHash }) => tokenKey(tokenHash)), ...users.deleted];
    if (!gone || others.length > 0) throw new Error('There should be one limit');
    const read = () => getItem('traffic', { pk: gone.pk, sk: gone.sk });
    expect(await read()).toHaveProperty('counts');
    await interrupted(
      () => applySharing(programId, users, { sharesLimit: true }, now),
      () => deleteItem('traffic', { pk: gone.pk, sk: gone.sk }),
      4,
    );
    expect(await read()).toBeUndefined();
    await applySharing(programId, users, { sharesLimit: true }, now);
    await applySharing(programId, users, { sharesLimit: false }, now);
    expect(await read()).toBeUndefined();
  });

  it('ends to be shared a while after the first deletion that ends it, also where another one ends it again', async () => {
    const programId = await begin();
    const { tokenHash } = await add(programId);
    const users = await limitUsersOf(programId, now);
    await applySharing(programId, users, { sharesLimit: true }, now);
    const until = async () => (await getItem('traffic', tokenKey(tokenHash)))?.sharesUntil;
    await applySharing(programId, users, { sharesLimit: false }, now);
    const first = await until();
    expect(first).toBeGreaterThan(now.getTime());
    await applySharing(programId, users, { sharesLimit: false }, new Date(now.getTime() + 1000));
    expect(await until()).toBe(first);
  });
});

describe('keys that are created and deleted', () => {
  const sharing = async (programId: string) =>
    Promise.all(
      (await allApiKeys(programId)).map(async ({ tokenHash }) => {
        return sharesInTheEnd(await getItem('traffic', tokenKey(tokenHash)));
      }),
    );
  const create = (programId: string) => createApiKey(programId, 'Another', new Date());
  const withKeys = async (count: number) => {
    const { id } = await storeProgram();
    const keys: Awaited<ReturnType<typeof create>>[] = [];
    for (let made = 1; made < count; made++) keys.push(await create(id));
    return { id, keys };
  };

  it('share no limit when a platform that was the fourth is disconnected', async () => {
    const { id } = await withKeys(3);
    await connectorToken(id, 'platform.example', new Date());
    expect(await sharing(id)).toEqual([true, true, true, true]);
    await disconnect(id, new Date());
    expect(await sharing(id)).toEqual([false, false, false]);
  });

  it.each([3, 4])('race: never share less than they should when %i are created at once', async (count) => {
    const { id } = await withKeys(1);
    await Promise.all(Array.from({ length: count }, () => create(id)));
    expect(new Set(await sharing(id))).toEqual(new Set([true]));
  });

  it('race: share a limit when one of four is deleted right before another is written', async () => {
    const { id, keys } = await withKeys(4);
    const [first] = keys;
    // The four tokens are updated before the new key is written.
    const send = documents.send.bind(documents);
    let isOvertaken = false;
    vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
      if (!isOvertaken && JSON.stringify(command.input).includes('sealedKey')) {
        isOvertaken = true;
        await deleteApiKey(id, first?.keyId ?? '', new Date());
      }
      return send(command);
    }) as typeof documents.send);
    await create(id);
    expect(isOvertaken).toBe(true);
    expect(await sharing(id)).toEqual([true, true, true, true]);
  });

  it.each([
    { deleted: 1, created: 1 },
    { deleted: 3, created: 2 },
  ])('race: agree with how many there are when $created are created while $deleted are deleted', async (counts) => {
    const { id, keys } = await withKeys(4);
    await Promise.all([
      ...keys.slice(0, counts.deleted).map(({ keyId }) => deleteApiKey(id, keyId, new Date())),
      ...Array.from({ length: counts.created }, () => create(id)),
    ]);
    const flags = await sharing(id);
    expect(flags).toEqual(flags.map(() => flags.length > 3));
  });
});
