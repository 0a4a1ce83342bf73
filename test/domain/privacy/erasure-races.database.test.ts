import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { moveCustomer, orderWrite } from '../../../shared/domain/attribution/customers.ts';
import { auditEntries } from '../../../shared/domain/audit/audit-log.ts';
import { packChanges, unpackChanges } from '../../../shared/domain/audit/changes.ts';
import { historySteps } from '../../../shared/domain/privacy/erase-histories.ts';
import { recordSteps } from '../../../shared/domain/privacy/erase-records.ts';
import { startErasure } from '../../../shared/domain/privacy/start-erasure.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { withQuietWrites } from '../../../shared/platform/table/quiet-writes.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { events } from '../../../shared/webhooks/delivery/repository.ts';
import { eventSteps } from '../../../shared/webhooks/privacy/erase-events.ts';
import { makeStoredAuditEntry } from '../../support/audit-entries.ts';
import { at, newProgram, now, storeAffiliate } from '../../support/domain.ts';
import { itemsOf } from '../../support/erasures.ts';
import { makePlannedImport } from '../../support/imports.ts';
import { interrupted } from '../../support/interrupted.ts';
import { makeStoredAffiliate } from '../../support/stored-records.ts';

const customersOf = async (programId: string) =>
  (await itemsOf(programId, 'SALE', 'CUSTOMER')).map(({ sk, orders, firstSaleAt }) => ({ sk, orders, firstSaleAt }));

it.each([
  { ordering: 'who is moved', name: 'from@example.com' },
  { ordering: 'to whom they are moved', name: 'to@example.com' },
])('no order is lost that $ordering makes while orders are moved', async ({ name }) => {
  const { id } = newProgram();
  await writeTogether([orderWrite(id, 'from@example.com', at(-2000)), orderWrite(id, 'to@example.com', at(-1000))]);
  const order = () => writeTogether([orderWrite(id, name, at(0))]);
  await interrupted(() => moveCustomer(id, 'from@example.com', 'to@example.com', undefined), order);
  expect(await customersOf(id)).toEqual([{ sk: 'to@example.com', orders: 3, firstSaleAt: at(-2000) }]);
});

it.each([
  { first: at(0), before: at(0), isMoved: false },
  { first: at(-1), before: at(0), isMoved: true },
])('orders since $before are those of somebody else: first sale at $first', async ({ first, before, isMoved }) => {
  const { id } = newProgram();
  await writeTogether([orderWrite(id, 'from@example.com', first)]);
  await moveCustomer(id, 'from@example.com', 'to@example.com', before);
  await moveCustomer(id, 'from@example.com', 'to@example.com', before);
  const sk = isMoved ? 'to@example.com' : 'from@example.com';
  expect(await customersOf(id)).toEqual([{ sk, orders: 1, firstSaleAt: first }]);
});

const tombstoneOf = async (programId: string, email: string) => {
  const affiliate = makeStoredAffiliate({ id: randomUUID(), email });
  await writeTogether([affiliates.tombstoneWrite(programId, affiliate, now)]);
  return { pk: partition(programId, 'TOMBSTONE', 'AFFILIATE'), sk: affiliate.id };
};

/** Runs all steps on records once. */
const beginErasing = async (programId: string, email: string, steps = recordSteps) => {
  const { id: erasureId } = await startErasure(programId, email, now);
  const person = { erasureId, email, ids: new Set<string>(), customerIds: new Set<string>() };
  return () =>
    withQuietWrites(erasureId, async () => {
      for (const step of steps) await step({ programId, person, writtenBefore: undefined, now }, undefined);
    });
};

it('a tombstone that expires while it is erased does not come back', async () => {
  const [{ id }, email] = [newProgram(), `${randomUUID()}@example.com`];
  const key = await tombstoneOf(id, email);
  await interrupted(await beginErasing(id, email), () => deleteItem('records', key));
  expect(await itemsOf(id, 'TOMBSTONE', 'AFFILIATE')).toEqual([]);
});

it('a report of an import that expires while it is erased does not come back', async () => {
  const [{ id }, email] = [newProgram(), `${randomUUID()}@example.com`];
  await makePlannedImport(id, 'people.csv', now, `${email} has a referral`);
  const [report] = await itemsOf(id, 'IMPORT', 'ROWS');
  const expire = () => deleteItem('records', { pk: String(report?.pk), sk: String(report?.sk) });
  await interrupted(await beginErasing(id, email, historySteps), expire);
  expect(await itemsOf(id, 'IMPORT', 'ROWS')).toEqual([]);
});

it('an affiliate that is edited while they are erased is erased with the edit', async () => {
  const [program, email] = [newProgram(), `${randomUUID()}@example.com`];
  const affiliate = await storeAffiliate(program, { email });
  const edited = { ...affiliate, firstName: 'Edited', commissionRate: 33 };
  const edit = () => writeTogether(affiliates.updateWrites(program.id, affiliate, edited));
  await interrupted(await beginErasing(program.id, email), edit);
  expect(await affiliates.get(program.id, affiliate.id)).toMatchObject({
    firstName: 'erased',
    commissionRate: 33,
    version: 3,
  });
});

it('an event about two people is erased of both, where both are erased at once', async () => {
  const { id } = newProgram();
  const emails = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  const eventId = randomUUID();
  const body = JSON.stringify({ id: eventId, type: 'link.created', actor: null, data: { notes: emails } });
  const fields = { createdAt: at(0), updatedAt: at(0), version: 1, ttl: 2_000_000_000, type: 'link.created' };
  await writeTogether(events.createWrites(id, { ...fields, id: eventId, body }));
  const [one, other] = await Promise.all(emails.map((email) => beginErasing(id, email, eventSteps)));
  await interrupted(
    () => one?.() ?? Promise.resolve(),
    () => other?.() ?? Promise.resolve(),
  );
  const event = await events.get(id, eventId);
  expect(JSON.parse(event?.body ?? '').data).toEqual({ notes: ['erased', 'erased'] });
});

it('an entry of the audit log about two people is erased of both, where both are erased at once', async () => {
  const { id } = newProgram();
  const [from, to] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  const entry = makeStoredAuditEntry({ changes: packChanges('UPDATED', { email: { from, to } }) }, now);
  await writeTogether(auditEntries.createWrites(id, entry));
  const [one, other] = await Promise.all([from, to].map((email) => beginErasing(id, email, historySteps)));
  await interrupted(
    () => one?.() ?? Promise.resolve(),
    () => other?.() ?? Promise.resolve(),
  );
  const { changes } = (await auditEntries.get(id, entry.id)) ?? entry;
  expect(unpackChanges('UPDATED', changes)).toEqual({ email: { from: 'erased', to: 'erased' } });
});
