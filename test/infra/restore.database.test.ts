import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportLines } from '../../infra/admin/export.ts';
import type { Item } from '../../infra/admin/items.ts';
import { jobsFor } from '../../infra/admin/restore/jobs.ts';
import { restore as restoreFrom } from '../../infra/admin/restore/restore.ts';
import { fileSource, type Source, tableSource } from '../../infra/admin/restore/source.ts';
import { tokenKey } from '../../shared/domain/access/token.ts';
import { accountKey, getAccount, membershipsOf } from '../../shared/domain/programs/accounts.ts';
import { pageOfPrograms } from '../../shared/domain/programs/all-programs.ts';
import { createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { allMembers, inviteMember } from '../../shared/domain/programs/members.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { allApiKeys, programs } from '../../shared/domain/programs/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { deleteItem, getItem, putItem, updateItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { workOnDeletion } from '../support/deletions.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const folder = mkdtempSync(join(tmpdir(), 'restore-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

let owners = 0;
let ownerEmail: string;
let programId: string;
beforeEach(async () => {
  owners += 1;
  ownerEmail = `restore-${owners}@example.com`;
  programId = (await createProgram({ name: `Of ${ownerEmail}`, ownerEmail }, now)).programId;
});

/** The program as an export, in a file. */
const exported = async (): Promise<string> => {
  const file = join(folder, `${programId}.jsonl`);
  const lines: string[] = [];
  for await (const line of exportLines(programId)) lines.push(line);
  writeFileSync(file, lines.join(''));
  return file;
};
const restore = (file: string, only?: string) => restoreFrom(fileSource(file), { only }, now);

/** The worker deletes what a deleted program had. */
const purge = () => workOnDeletion({ programId, kind: 'PROGRAM', id: programId, step: 0, isSweep: true });

describe('a restore', () => {
  it('restores members', async () => {
    const email = `member-of-${programId}@example.com`;
    await inviteMember({ id: programId, ownerEmail }, { email, role: 'MANAGER', invitedBy: ownerEmail }, now);
    const members = await allMembers(programId);
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    expect(await restore(file)).toMatchObject({ programs: 1, conflicts: [] });
    expect(await allMembers(programId)).toEqual(members);
    expect((await membershipsOf(email, { limit: 10 })).items).toEqual([{ programId, isAccepted: false }]);
  });

  it('brings back a program that was deleted by mistake, with keys that work and the plan that its account has now', async () => {
    const before = await programs.get(programId, programId);
    const keys = await allApiKeys(programId);
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    await setPlan(ownerEmail, 'FREE');

    expect(await restore(file)).toMatchObject({ programs: 1, accounts: 0, leftAlone: [], conflicts: [], tokens: 1 });
    expect(await programs.get(programId, programId)).toEqual({ ...before, plan: 'FREE' });
    expect(await allApiKeys(programId)).toEqual(keys);
    expect(await getItem('traffic', tokenKey(keys[0]?.tokenHash ?? ''))).toMatchObject({
      plan: 'FREE',
      programDeleted: false,
    });
    // The next program is counted with it.
    expect((await getAccount(ownerEmail))?.programCount).toBeUndefined();
  });

  it('adds a program of an earlier version to the list of all programs', async () => {
    const key = { pk: partition(programId, 'PROGRAM'), sk: programId };
    await updateItem('records', key, { UpdateExpression: 'REMOVE gsi1pk' });
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    const isListed = async () => (await pageOfPrograms(programId.slice(0, -1), 1000)).ids.includes(programId);
    expect(await isListed()).toBe(false);
    await restore(file);
    expect(await isListed()).toBe(true);
  });

  it('keeps what it restored when a message of the deletion arrives late', async () => {
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    await restore(file);
    const keys = await allApiKeys(programId);
    await workOnDeletion({ programId, kind: 'PROGRAM', id: programId, step: 0, isSweep: true });
    expect(keys).toHaveLength(1);
    expect(await allApiKeys(programId)).toEqual(keys);
    expect(await getItem('traffic', tokenKey(keys[0]?.tokenHash ?? ''))).toMatchObject({ programDeleted: false });
  });

  it('leaves a program alone that exists, so that nothing goes back to what it was', async () => {
    const file = await exported();
    const { keyId } = await createApiKey(programId, 'Another', now);
    await deleteItem('records', { pk: partition(programId, 'API_KEY', 'SLOT'), sk: '0' });
    expect(await restore(file)).toMatchObject({ programs: 0, items: 0, leftAlone: [programId] });
    expect((await allApiKeys(programId)).map(({ id }) => id)).toContain(keyId);
    expect(await getItem('records', { pk: partition(programId, 'API_KEY', 'SLOT'), sk: '0' })).toBeUndefined();
  });

  it('continues after it was interrupted, because the program itself comes last', async () => {
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    const slot = { pk: partition(programId, 'API_KEY', 'SLOT'), sk: '0' };
    await restore(file);
    const keys = await allApiKeys(programId);
    expect(keys).toHaveLength(1);
    await deleteItem('records', { pk: partition(programId, 'PROGRAM'), sk: programId });
    await deleteItem('records', slot);
    // What the first run had put is no conflict.
    expect(await restore(file)).toMatchObject({ programs: 1, items: 2, conflicts: [] });
    expect(await getItem('records', slot)).toBeDefined();
    expect(await allApiKeys(programId)).toEqual(keys);
  });

  it('restores API keys when it is repeated after an interruption', async () => {
    const file = await exported();
    const [key] = await allApiKeys(programId);
    const hasAccess = async () => (await getItem('traffic', tokenKey(key?.tokenHash ?? '')))?.programDeleted === false;
    await deleteProgram(programId);
    await purge();
    const realSend = documents.send.bind(documents);
    vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof realSend>[0]) =>
      command.constructor.name === 'TransactWriteCommand'
        ? Promise.reject(new Error('killed'))
        : realSend(command)) as typeof documents.send);
    await expect(restore(file)).rejects.toThrow('killed');
    vi.restoreAllMocks();
    expect(await programs.get(programId, programId)).toBeDefined();
    expect(await hasAccess()).toBe(false);
    expect(await restore(file)).toMatchObject({ programs: 1, items: 0, tokens: 1, leftAlone: [], conflicts: [] });
    expect(await hasAccess()).toBe(true);
    expect(await restore(file)).toMatchObject({ programs: 0, tokens: 0, leftAlone: [programId] });
  });

  it('names what somebody has written since, and leaves it', async () => {
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    const slot = { pk: partition(programId, 'API_KEY', 'SLOT'), sk: '0' };
    await putItem('records', { ...slot, id: 'of somebody else' });
    expect((await restore(file)).conflicts).toEqual([`${slot.pk} ${slot.sk}`]);
    expect(await getItem('records', slot)).toMatchObject({ id: 'of somebody else' });
  });

  it('gives an account that was lost its plan back if its owner has signed in since, and keeps sessions ended', async () => {
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    const account = { email: ownerEmail, plan: 'FREE', sessionsValidAfter: now.getTime() };
    await putItem('records', { ...accountKey(ownerEmail), ...account });
    expect(await restore(file)).toMatchObject({ accounts: 1, conflicts: [] });
    expect(await getAccount(ownerEmail)).toEqual({ ...account, plan: 'BUSINESS' });
  });

  it('does not change the plan of an account whose programs exist', async () => {
    const file = await exported();
    await putItem('records', { ...accountKey(ownerEmail), email: ownerEmail, plan: 'FREE' });
    expect(await restore(file)).toMatchObject({ accounts: 0, leftAlone: [programId] });
    expect(await getAccount(ownerEmail)).toMatchObject({ plan: 'FREE' });
  });

  it('brings back a name with a line separator, at which a line of an export does not end', async () => {
    const name = 'Restored\u2028One';
    ({ programId } = await createProgram({ name, ownerEmail, plan: 'BUSINESS' }, now));
    const file = await exported();
    await deleteProgram(programId);
    await purge();
    expect(await restore(file)).toMatchObject({ programs: 1 });
    expect(await programs.get(programId, programId)).toMatchObject({ name });
  });

  it('finds the same program and account in a table as in its export', async () => {
    const isOfTest = (item: Item) => [item.ownerEmail?.S, item.email?.S].includes(ownerEmail);
    const ownersOf = async (source: Source) =>
      (await Array.fromAsync(source.owners())).filter(isOfTest).sort((one) => (one.sk?.S === 'ACCOUNT' ? -1 : 1));
    const ofFile = await ownersOf(fileSource(await exported()));
    expect(ofFile.map(({ sk }) => sk?.S)).toEqual(['ACCOUNT', programId]);
    expect(await ownersOf(tableSource(deployedName('records')))).toEqual(ofFile);
  });

  it('takes one program out of many, and says when the copy lacks it', async () => {
    const file = await exported();
    await expect(restore(file, 'none')).rejects.toThrow('There is no program none to restore from');
    writeFileSync(file, '{"Item":{"pk":');
    await expect(restore(file)).rejects.toThrow(`Line 1 of ${file} is not an item of an export`);
  });
});

describe('background work that is started again', () => {
  const item = (kind: string, attributes: Record<string, string>) => ({
    pk: { S: partition('p', 'TOMBSTONE').replace('TOMBSTONE', kind) },
    sk: { S: 'id' },
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { S: value }])),
  });
  const payouts = (task: string) => [
    { queue: 'payout-batches', message: { programId: 'p', batchId: 'id', task }, groupId: 'p' },
  ];
  const [recent, old] = ['2026-04-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'];

  it.each([
    ['a payout batch that is being prepared', item('PAYOUT_BATCH', { status: 'PREPARING' }), payouts('prepare')],
    ['one that was paid lately', item('PAYOUT_BATCH', { status: 'PAID', paidAt: recent }), payouts('pay')],
    ['one that was deleted lately', item('TOMBSTONE#PAYOUT_BATCH', { deletedAt: recent }), payouts('release')],
    ['one that was paid long ago', item('PAYOUT_BATCH', { status: 'PAID', paidAt: old }), []],
    ['one that is ready', item('PAYOUT_BATCH', { status: 'READY' }), []],
    [
      'the deletion of a coupon',
      item('TOMBSTONE#COUPON', { deletedAt: recent }),
      [{ queue: 'deletions', message: { programId: 'p', kind: 'COUPON', id: 'id' }, groupId: 'p' }],
    ],
    [
      'an affiliate who is not active',
      item('AFFILIATE', { status: 'BANNED' }),
      [{ queue: 'code-connections', message: { programId: 'p', affiliateId: 'id' }, groupId: 'p' }],
    ],
    [
      'a link whose affiliate was not active',
      item('LINK#SLUG', { affiliateStatus: 'BANNED', affiliateId: 'a', id: 'l' }),
      [{ queue: 'code-connections', message: { programId: 'p', affiliateId: 'a', linkId: 'l' }, groupId: 'p' }],
    ],
    ['an affiliate who is active', item('AFFILIATE', { status: 'ACTIVE' }), []],
    ['a link of one who is', item('LINK#SLUG', { affiliateStatus: 'ACTIVE', affiliateId: 'a', id: 'l' }), []],
    ['a link of an earlier version', item('LINK#SLUG', { affiliateId: 'a', id: 'l' }), []],
    [
      'the erasure of a person',
      item('ERASURE', { status: 'RUNNING', encryptedEmail: 'secret' }),
      [{ queue: 'erasures', message: { programId: 'p', erasureId: 'id' }, groupId: 'p' }],
    ],
    [
      'an erasure whose second look was still to come',
      item('ERASURE', { status: 'DONE', encryptedEmail: 'secret' }),
      [{ queue: 'erasures', message: { programId: 'p', erasureId: 'id' }, groupId: 'p' }],
    ],
    ['an erasure that had ended', { ...item('ERASURE', { status: 'DONE' }), encryptedEmail: { NULL: true } }, []],
    ['what an erasure had found', item('ERASURE#FOUND', { encryptedId: 'secret' }), []],
    [
      'an import in its dry run',
      item('IMPORT', { status: 'PLANNING' }),
      [{ queue: 'imports', message: { programId: 'p', importId: 'id' }, groupId: 'p' }],
    ],
    [
      'an import that was running',
      item('IMPORT', { status: 'RUNNING' }),
      [{ queue: 'imports', message: { programId: 'p', importId: 'id' }, groupId: 'p' }],
    ],
    ['an import that waited for its owner', item('IMPORT', { status: 'PLANNED' }), []],
    ['an import that had ended', item('IMPORT', { status: 'DONE' }), []],
    [
      'an export that had not begun',
      item('EXPORT', { status: 'REQUESTED' }),
      [{ queue: 'exports', message: { programId: 'p', exportId: 'id' }, groupId: 'p' }],
    ],
    [
      'an export that was running',
      item('EXPORT', { status: 'RUNNING' }),
      [{ queue: 'exports', message: { programId: 'p', exportId: 'id' }, groupId: 'p' }],
    ],
    ['an export that had ended', item('EXPORT', { status: 'DONE' }), []],
    ['a deletion of long ago', item('TOMBSTONE#COUPON', { deletedAt: old }), []],
    ['the deletion of a sale, which has no cascade', item('TOMBSTONE#SALE', { deletedAt: recent }), []],
  ])('%s', (_, restored, jobs) => {
    expect(jobsFor(restored, now)).toEqual(jobs);
  });
});
