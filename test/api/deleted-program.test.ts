import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createText } from '../../shared/domain/assets/manage-assets.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { inviteMember } from '../../shared/domain/programs/members.ts';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { scanItems } from '../../shared/platform/table/items.ts';
import { eventCounts, eventually } from '../support/events.ts';
import { makePlannedImport } from '../support/imports.ts';
import { makeStoredAdjustment, storeAll, unnoticed } from '../support/sales.ts';
import { everythingOf, makeWorld } from './every-operation.ts';

/** The keys of all items of some programs in the records table, each program's as one list. One scan reads them all. */
const keysOf = async (...programIds: string[]): Promise<string[][]> => {
  const keys = programIds.map((): string[] => []);
  const prefixes = programIds.map((id) => `PROGRAM#${id}#`);
  const scanned = scanItems('records', {
    FilterExpression: prefixes.map((_, at) => `begins_with(pk, :program${at})`).join(' OR '),
    ExpressionAttributeValues: Object.fromEntries(prefixes.map((prefix, at) => [`:program${at}`, prefix])),
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  });
  for await (const { pk, sk } of scanned)
    keys[prefixes.findIndex((prefix) => String(pk).startsWith(prefix))]?.push(`${pk} ${sk}`);
  return keys;
};

it('leaves nothing in the table, sends nothing for what goes with it, and touches no other program', async () => {
  const [{ api, coupon, code, affiliate }, other] = await Promise.all([makeWorld(), makeWorld()]);
  const rule = { enabled: true, codeStructure: { firstName: true } };
  expect((await api.post('/coupons', { name: 'Each', percentOff: 5, autoCouponRule: rule })).status).toBe(200);
  expect((await api.post('/sales', { totalEarned: 50, referralId: affiliate.id })).status).toBe(200);
  const batch = await api.post('/payout-batches', {});
  await eventually(
    'a batch that is ready',
    async () => (await api.get(`/payout-batches?id=${batch.body.id}`)).body.status === 'READY',
  );
  await storeAll(unnoticed(adjustments.createWrites(api.programId, makeStoredAdjustment(affiliate.id, -5))));
  expect((await api.delete('/promotional-codes', { promotionalCodeId: code.id })).status).toBe(200);
  await makePlannedImport(api.programId, 'people.csv', new Date());
  await createText(api.programId, { title: 'Hello', text: 'Look' }, new Date());
  await connectorToken(api.programId, 'platform.example', new Date());
  const inviter = { id: api.programId, ownerEmail: api.ownerEmail };
  const invited = { email: `${randomUUID()}@example.com`, role: 'VIEWER' as const, invitedBy: api.ownerEmail };
  await inviteMember(inviter, invited, new Date());
  const untouched = await everythingOf(other.api);
  const [stored, before] = await keysOf(api.programId, other.api.programId);
  const kinds = new Set(stored?.map((key) => key.split(/[# ]/)[2]));
  for (const kind of [
    'MEMBER',
    'WEBHOOK',
    'LINK_CODE',
    'PAYOUT',
    'ADJUSTMENT',
    'IMPORT',
    'ASSET',
    'TOMBSTONE',
    'API_KEY',
    'SALE',
    'PROGRAM',
  ])
    expect(kinds).toContain(kind);

  await deleteProgram(api.programId);
  expect((await api.get(`/coupons?id=${coupon.id}`)).body).toEqual({ error: 'Affiliate program not found' });
  // Cheaper than to look through the whole table again and again: keys and their names are what goes last.
  await eventually('no key left', async () => (await allApiKeys(api.programId)).length === 0);
  const after = await eventually('an empty table', async () => {
    const [left, others] = await keysOf(api.programId, other.api.programId);
    return left?.length === 0 && others;
  });
  const events = await eventCounts(api.programId);
  for (const type of ['affiliate.deleted', 'coupon.deleted', 'sale.deleted', 'link.deleted', 'payout_batch.deleted'])
    expect(events[type]).toBeUndefined();
  expect((await api.get('/program')).body).toEqual({ error: 'Affiliate program not found' });
  expect(await everythingOf(other.api)).toEqual(untouched);
  expect(after).toEqual(before);
});
