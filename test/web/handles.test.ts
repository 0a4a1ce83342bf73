import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { programs } from '../../shared/domain/programs/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { appUrl, signedIn } from '../support/browser.ts';
import { sendRequest } from '../support/http.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

const settings = { name: 'Test program', currency: 'USD', commissionRate: '20', baseUrls: 'https://shop.example/' };
const handleOf = async (api: Api): Promise<string> => (await api.get('/program')).body.handle;
const isFollowed = async (handle: string): Promise<boolean> =>
  (await sendRequest(`${appUrl()}/r/${handle}/x`, { method: 'GET', headers: { 'user-agent': 'curl' } })).status === 302;
const unused = () => `handle-${randomUUID().slice(0, 13)}`;

const chooseHandle = async (api: Api, handle: string) =>
  (await signedIn(api.ownerEmail)).submit(`/programs/${api.programId}/settings`, { ...settings, handle });

describe('the handle of a program', () => {
  it('is made from its name, and two of one name have two', async () => {
    const [one, other] = [await handleOf(await makeProgram()), await handleOf(await makeProgram())];
    expect(one).toMatch(/^test-program/);
    expect(other).toMatch(/^test-program/);
    expect(one).not.toBe(other);
  });

  it('is changed in the settings: the new one is followed at once, and the former one is free for others', async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const [first, second] = [unused(), unused()];
    expect((await chooseHandle(api, first.toUpperCase())).status).toBe(303);
    expect([await handleOf(api), await isFollowed(first)]).toEqual([first, true]);
    const taken = await chooseHandle(other, first);
    expect(taken.status).toBe(400);
    expect(taken.text).toContain('Is taken: choose another one');
    expect((await chooseHandle(api, second)).status).toBe(303);
    expect((await chooseHandle(other, first)).status).toBe(303);
    expect([await handleOf(other), await isFollowed(second)]).toEqual([first, true]);
  });

  it.each(['ab', 'x'.repeat(41), '-shop', 'shop-', 'my shop', 'shop_1', 'größe', randomUUID()])(
    'is refused if it is %s',
    async (handle) => {
      const api = await makeProgram();
      const before = await handleOf(api);
      expect((await chooseHandle(api, handle)).status).toBe(400);
      expect(await handleOf(api)).toBe(before);
    },
  );

  it('goes to one of two programs that choose it at once', async () => {
    const both = await Promise.all([makeProgram(), makeProgram()]);
    const handle = unused();
    const chosen = await Promise.all(both.map((api) => chooseHandle(api, handle)));
    expect(chosen.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect((await Promise.all(both.map(handleOf))).filter((one) => one === handle)).toHaveLength(1);
  });

  it('is free once its program is deleted', async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const handle = unused();
    await chooseHandle(api, handle);
    await deleteProgram(api.programId);
    expect((await chooseHandle(other, handle)).status).toBe(303);
  });

  it('is the id of a program of an earlier version, until one is chosen', async () => {
    const api = await makeProgram({ baseUrls: ['https://shop.example/'] });
    await makeAffiliate(api, { affiliateLink: 'amara' });
    const program = await programs.get(api.programId, api.programId);
    if (!program) throw new Error('The program is there');
    await writeTogether(programs.updateWrites(program.id, program, { ...program, handle: null }));
    expect(await handleOf(api)).toBe(api.programId);
    expect(await isFollowed(api.programId)).toBe(true);
    expect((await chooseHandle(api, api.programId)).status).toBe(303);
    const handle = unused();
    expect((await chooseHandle(api, handle)).status).toBe(303);
    expect([await handleOf(api), await isFollowed(handle)]).toEqual([handle, true]);
  });
});
