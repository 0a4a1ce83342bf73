import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { restore } from '../../infra/admin/restore/restore.ts';
import { fileSource } from '../../infra/admin/restore/source.ts';
import { hashOfToken, tokenKey } from '../../shared/domain/access/token.ts';
import { accountKey, getAccount, membershipsOf } from '../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { endAllSessions, isSessionEnded } from '../../shared/domain/programs/ended-sessions.ts';
import { allMembers, inviteMember, memberIdOf, removeMember } from '../../shared/domain/programs/members.ts';
import { createProgram, deleteProgram } from '../../shared/domain/programs/programs.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deleteItem, getItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { allWebhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { workOnDeletion } from '../support/deletions.ts';
import { exportedLines, exportFolder } from '../support/exports.ts';

// A restore does not bring back a key, a member or an endpoint that was revoked since the backup.

const now = new Date('2026-05-01T12:00:00.000Z');
const later = new Date('2026-05-02T12:00:00.000Z');
const folder = exportFolder();
afterAll(folder.remove);

let count = 0;
let ownerEmail: string;
let programId: string;
let apiKey: string;
beforeEach(async () => {
  count += 1;
  ownerEmail = `access-${count}@example.com`;
  ({ programId, apiKey } = await createProgram({ name: `Of ${ownerEmail}`, ownerEmail }, now));
});

const exported = async () => folder.write(programId, await exportedLines(programId));
const remove = async () => {
  await deleteProgram(programId);
  await workOnDeletion({ programId, kind: 'PROGRAM', id: programId, step: 0, isSweep: true });
};
const restoreFrom = (file: string, revokeKeys = false) => restore(fileSource(file), { revokeKeys }, later);
const invite = (email: string, at = now) =>
  inviteMember({ id: programId, ownerEmail }, { email, role: 'MANAGER', invitedBy: ownerEmail }, at);
const endpoint = (path: string) =>
  createWebhook(programId, { url: `https://example.com/${path}`, eventTypes: ['*'], active: true }, now, null);
const tokenOf = (key: string) => getItem('traffic', tokenKey(hashOfToken(key)));

describe('a restore after a program was deleted', () => {
  it('keeps revoked what was revoked after the backup, and lists what comes back', async () => {
    const gone = await createApiKey(programId, 'Gone', now);
    const [kept, removed] = [`kept-${count}@example.com`, `removed-${count}@example.com`];
    await invite(kept);
    await invite(removed);
    const [stays, ended] = [await endpoint('hidden?token=x'), await endpoint('ended')];
    const file = await exported();
    await deleteApiKey(programId, gone.keyId, later);
    await removeMember(programId, memberIdOf(removed), later);
    await deleteWebhook(programId, ended.id, later);
    await remove();

    const { comesBack, keptRevoked, kinds } = await restoreFrom(file);
    expect((await allApiKeys(programId)).map(({ name }) => name)).toEqual(['First key']);
    expect((await allMembers(programId)).map(({ email }) => email)).toEqual([kept]);
    expect((await membershipsOf(removed, { limit: 10 })).items).toEqual([]);
    expect((await allWebhooks(programId)).map(({ id }) => id)).toEqual([stays.id]);
    expect([await tokenOf(gone.apiKey), await tokenOf(apiKey)]).toMatchObject([undefined, { programDeleted: false }]);
    expect(comesBack).toMatchObject({
      keys: [{ programId, name: 'First key', lastFour: apiKey.slice(-4) }],
      members: [{ email: kept, role: 'MANAGER' }],
      endpoints: [{ id: stays.id, url: 'https://example.com' }],
    });
    expect(keptRevoked).toMatchObject({
      keys: [{ id: gone.keyId }],
      members: [{ email: removed }],
      endpoints: [{ id: ended.id }],
    });
    expect(JSON.stringify(comesBack)).not.toContain('token=x');
    expect(kinds).toMatchObject({
      API_KEY: { inBackup: 2, restored: 1, revoked: 1 },
      'API_KEY#SLOT': { inBackup: 2, restored: 1, revoked: 1 },
      'ACCOUNT#MEMBER_OF': { inBackup: 2, restored: 1, revoked: 1 },
    });
  });

  it('keeps a platform disconnected', async () => {
    const token = await connectorToken(programId, 'automation', now);
    const file = await exported();
    await disconnect(programId, later);
    await remove();
    expect((await restoreFrom(file)).keptRevoked.keys).toMatchObject([{ name: 'Connector token' }]);
    expect((await allApiKeys(programId)).map(({ kind }) => kind)).toEqual(['API']);
    expect(await tokenOf(token)).toBeUndefined();
    // Connecting again is possible.
    expect(await connectorToken(programId, 'automation', later)).not.toBe(token);
  });

  it('brings back who was removed and invited again before the backup', async () => {
    const email = `again-${count}@example.com`;
    await invite(email);
    await removeMember(programId, memberIdOf(email), later);
    await invite(email, new Date(later.getTime() + 1));
    const file = await exported();
    await remove();
    expect((await restoreFrom(file)).keptRevoked.members).toEqual([]);
    expect(await allMembers(programId)).toHaveLength(1);
  });

  it('restores no key where no key is to work again, also after an earlier run that did', async () => {
    await createApiKey(programId, 'Second', now);
    const file = await exported();
    await remove();
    const realSend = documents.send.bind(documents);
    vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof realSend>[0]) =>
      command.constructor.name === 'TransactWriteCommand'
        ? Promise.reject(new Error('killed'))
        : realSend(command)) as typeof documents.send);
    await expect(restoreFrom(file)).rejects.toThrow('killed');
    vi.restoreAllMocks();
    expect(await allApiKeys(programId)).toHaveLength(2);
    const { programs, tokens, comesBack, keptRevoked } = await restoreFrom(file, true);
    expect({ programs, tokens, comesBack: comesBack.keys }).toEqual({ programs: 1, tokens: 0, comesBack: [] });
    expect(keptRevoked.keys).toHaveLength(2);
    expect(await allApiKeys(programId)).toEqual([]);
    expect(await tokenOf(apiKey)).toBeUndefined();
    expect(await getItem('records', { pk: partition(programId, 'API_KEY', 'SLOT'), sk: '0' })).toBeUndefined();
    expect((await createApiKey(programId, 'New', later)).keyId).toBeDefined();
  });
});

it('a restored account has no session of before', async () => {
  const session = { id: 'a', startedAt: now.getTime() };
  const file = await exported();
  await endAllSessions(ownerEmail, now);
  await remove();
  await deleteItem('records', accountKey(ownerEmail));
  expect(await restoreFrom(file)).toMatchObject({ accounts: 1 });
  const account = await getAccount(ownerEmail);
  expect(account && isSessionEnded(account, session)).toBe(true);
});
