import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useStack } from '../../infra/admin/target.ts';
import { credentials, region } from '../../infra/local/account.ts';
import { recordKinds } from '../../shared/contract/needs.ts';
import { adminOf, callApi, endStack, runAdmin, type StartedStack, startStack } from './started-stack.ts';

// The restore drill of docs/operations.md: both tables are deleted and come back from an export.

const folder = mkdtempSync(join(tmpdir(), 'restore-'));
const newTables = { RECORDS_GENERATION: '2', TRAFFIC_GENERATION: '2' };
let stack: StartedStack;
beforeAll(async () => {
  stack = await startStack(folder);
});
afterAll(async () => {
  for (const name of Object.keys(newTables)) delete process.env[name];
  await endStack(stack, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const admin = adminOf(folder);

/** What the doctor finds wrong, as the checks' names with the remedies. */
const problemsFound = async (): Promise<string[]> => {
  const { exitCode, output } = await runAdmin(folder, 'doctor');
  const { healthy, findings } = JSON.parse(output);
  expect(exitCode).toBe(healthy ? 0 : 1);
  return findings.map(({ check, remedy }: { check: string; remedy: string }) => `${check}: ${remedy}`);
};

const call = async (method: string, path: string, body: object, status = 200) => {
  const response = await callApi(stack, method, path, body);
  expect(response, JSON.stringify(response.body)).toMatchObject({ status });
  return response.body;
};
const post = (path: string, body: object, status?: number) => call('POST', path, body, status);
const get = async (path: string) => (await callApi(stack, 'GET', path)).body;

const deleteTables = async (): Promise<void> => {
  const { dynamodbEndpoint, outputs } = JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8'));
  const client = new DynamoDBClient({ region, credentials, endpoint: dynamodbEndpoint });
  for (const TableName of [outputs.TableName, outputs.TrafficTableName])
    await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
};

/** A program with a record of every kind, all of whose background work is done. */
const fillProgram = async () => {
  const { id: groupId } = await post('/groups', { name: 'Partners', commissionRate: 25 });
  const affiliate = await post('/affiliates', { firstName: 'Amara', email: 'amara@example.com', groupId });
  const coupon = await post('/coupons', { name: 'Spring', percentOff: 20, maxRedemptions: 3 });
  const code = { couponId: coupon.id, code: 'SPRING', affiliateId: affiliate.id };
  await post('/promotional-codes', code);
  await post('/referrals', { name: 'Ben', email: 'ben@example.com', affiliateId: affiliate.id });
  await post('/sales', { totalEarned: 100, promoCode: 'SPRING', email: 'carol@example.com', externalId: 'order-1' });
  await post('/webhooks', { url: 'https://example.com/', eventTypes: ['sale.created'], active: false });
  const { id: refundedId } = await post('/sales', { totalEarned: 40, email: 'ben@example.com' });
  const { id } = await post('/payout-batches', {});
  const batch = async () => get(`/payout-batches/${id}`);
  await expect.poll(async () => (await batch()).status).toBe('READY');
  await call('PUT', '/payout-batches', { payoutBatchId: id, status: 'PAID' });
  await expect.poll(async () => (await get(`/sales/${refundedId}`)).paidAt).not.toBeNull();
  await call('PATCH', '/sales', { saleId: refundedId });
  const { id: deletedId } = await post('/coupons', { name: 'Deleted', percentOff: 10 });
  await call('DELETE', '/coupons', { couponId: deletedId });
  await expect.poll(async () => (await get('/links'))[0].promotionalCodes).toHaveLength(1);
  await enterByPages();
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email,firstName,createdAt\nabena@example.com,Abena,2024-02-01\n');
  await admin('import', '--program', stack.programId, '--kind', 'affiliates', '--file', file);
  for (const [path, body] of [
    ['/exports', {}],
    ['/erasures', { email: 'nobody@example.com' }],
  ] as const) {
    const { id: background } = await post(path, body);
    await expect.poll(async () => (await get(`${path}/${background}`)).status, { timeout: 30_000 }).toBe('DONE');
  }
};

/** A member and a text for affiliates, which only the pages make. */
const enterByPages = async (): Promise<void> => {
  await useStack({ dataFolder: folder });
  // Modules that an earlier file has loaded may hold clients of another stack.
  vi.resetModules();
  const { acceptInvitation, inviteMember } = await import('../../shared/domain/programs/members.ts');
  const program = { id: stack.programId, ownerEmail: 'owner@example.com' };
  const member = { email: 'member@example.com', role: 'VIEWER' as const, invitedBy: program.ownerEmail };
  await inviteMember(program, member, new Date());
  await acceptInvitation(program.id, member.email, new Date());
  const { createText } = await import('../../shared/domain/assets/manage-assets.ts');
  await createText(program.id, { title: 'Post', text: 'Try it: {link}' }, new Date());
};

const lists = [
  'program',
  'groups',
  'affiliates',
  'links',
  'coupons',
  'promotional-codes',
  'referrals',
  'sales',
  'payout-batches',
];
const readAll = async () =>
  Object.fromEntries(await Promise.all([...lists, 'webhooks'].map(async (path) => [path, await get(`/${path}`)])));

/** The keys of the items of a program, or of all programs, in an export. */
const keysAbout = (lines: string, programId: string): string[] =>
  lines
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).Item ?? [])
    .map(({ pk, sk }) => `${pk.S} ${sk.S}`)
    .filter((key) => key.includes(`PROGRAM#${programId}`))
    .sort();

it('two deleted tables come back from an export: everything works, no event is made and nothing is counted twice', async () => {
  await fillProgram();
  const other = await admin(
    'program',
    'create',
    '--name',
    'Other',
    '--owner-email',
    'other@example.com',
    '--plan',
    'FREE',
  );
  const before = await readAll();
  const copy = join(folder, 'copy.jsonl');
  writeFileSync(copy, (await runAdmin(folder, 'export')).output);
  const ofOne = (await runAdmin(folder, 'export', '--program', stack.programId)).output;
  const text = readFileSync(copy, 'utf8');
  expect(text).not.toContain(before.webhooks[0].secret);
  expect(text).not.toContain(stack.apiKey);
  // Every kind of record is among the data.
  const { kinds } = JSON.parse(text.trim().split('\n').at(-1) ?? '').End;
  expect([...new Set(Object.keys(kinds).map((kind) => kind.split('#')[0]))].sort()).toEqual(
    ['ACCOUNT', 'HANDLE', 'PROGRAM', ...recordKinds].sort(),
  );
  // An export of one program has all of it, and nothing of another one.
  expect(keysAbout(ofOne, '')).toEqual(keysAbout(text, stack.programId));

  await deleteTables();
  const lost = 'tables: docs/operations.md, section "A lost table"';
  expect((await problemsFound()).filter((finding) => finding.startsWith('tables'))).toEqual([lost, lost]);
  await endStack(stack);
  Object.assign(process.env, newTables);
  stack = await startStack(folder);
  expect((await callApi(stack, 'GET', '/program')).status).toBe(401);

  const restored = await admin('restore', '--from-file', copy);
  // The batch, the deleted coupon, and the erasure while its second look is still to come.
  const jobs = text.includes('"encryptedEmail":{"S"') ? 3 : 2;
  expect(restored).toMatchObject({ programs: 2, accounts: 2, leftAlone: [], conflicts: [], tokens: 2, jobs });
  expect(restored.comesBack).toMatchObject({
    keys: [{ lastFour: expect.any(String) }, { lastFour: expect.any(String) }],
    members: [{ email: 'member@example.com', role: 'VIEWER' }],
    endpoints: [{ url: 'https://example.com' }],
  });
  for (const [kind, { inBackup, restored: count }] of Object.entries<Record<string, number>>(restored.kinds))
    expect([kind, count]).toEqual([kind, inBackup]);
  expect(restored.notRestored[0]).toBe('Changes after the export.');
  expect(await readAll()).toEqual(before);
  expect((await callApi({ ...stack, apiKey: other.apiKey }, 'GET', '/program')).status).toBe(403);
  expect(await problemsFound()).toEqual([]);

  // What was unique is unique, a cap has the uses that were left, and totals go on from where they were.
  await post('/affiliates', { firstName: 'Amara', email: 'amara@example.com' }, 400);
  expect(
    (await post('/sales', { totalEarned: 100, promoCode: 'SPRING', email: 'carol@example.com', externalId: 'order-1' }))
      .id,
  ).toBe(before.sales.find(({ externalId }: { externalId: string }) => externalId === 'order-1').id);
  const sale = await post('/sales', { totalEarned: 50, promoCode: 'SPRING', email: 'dan@example.com' });
  await post('/sales', { totalEarned: 50, promoCode: 'SPRING', email: 'eve@example.com' });
  await post('/sales', { totalEarned: 50, promoCode: 'SPRING', email: 'fay@example.com' }, 400);
  await expect
    .poll(async () => (await get('/affiliates'))[0].totalRevenue)
    .toBe(before.affiliates[0].totalRevenue + 100);
  await expect.poll(() => get('/events?limit=100'), { timeout: 30_000 }).toHaveLength(4);
  const events = await get('/events?limit=100');
  expect(new Set(events.map(({ type }: { type: string }) => type))).toEqual(
    new Set(['sale.created', 'promotional_code.redeemed']),
  );
  expect(events.map(({ data }: { data: { id: string } }) => data.id)).toContain(sale.id);
}, 180_000);
