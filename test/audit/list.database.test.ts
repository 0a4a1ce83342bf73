import { expect, it } from 'vitest';
import { auditEntries, listAuditEntries, readAuditEntry } from '../../shared/domain/audit/audit-log.ts';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { makeStoredAuditEntry } from '../support/audit-entries.ts';
import { newProgram, now } from '../support/domain.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMilliseconds);

const store = async (programId: string, overrides: Parameters<typeof makeStoredAuditEntry>[0], days = 0) => {
  const entry = makeStoredAuditEntry(overrides, daysAgo(days));
  await writeAlone(auditEntries.createWrites(programId, entry));
  return entry.id;
};

const idsOf = async (programId: string, filters: Parameters<typeof listAuditEntries>[1], request = {}) =>
  (await listAuditEntries(programId, filters, { limit: 100, ...request }, now)).items.map(({ id }) => id);

it('entries are found by record, by actor, by type, and by several of these at once', async () => {
  const { id } = newProgram();
  const [affiliate, other] = [
    { recordId: 'one', recordType: 'AFFILIATE' },
    { recordId: 'two', recordType: 'SALE' },
  ] as const;
  const [first, second, third] = [
    await store(id, { ...affiliate, by: 'K:key-1' }, 3),
    await store(id, { ...affiliate, by: 'M:ada@example.com' }, 2),
    await store(id, { ...other, by: 'K:key-1' }, 1),
  ];
  const unknown = await store(id, { ...other, by: null, req: null });
  expect(await idsOf(id, {})).toEqual([unknown, third, second, first]);
  expect(await idsOf(id, { recordId: 'one' })).toEqual([second, first]);
  expect(await idsOf(id, { actor: 'key-1' })).toEqual([third, first]);
  expect(await idsOf(id, { recordType: 'SALE' })).toEqual([unknown, third]);
  expect(await idsOf(id, { recordType: 'AFFILIATE', actor: 'key-1' })).toEqual([first]);
  expect(await idsOf(id, { recordId: 'one', actor: 'ada@example.com' })).toEqual([second]);
  expect(await idsOf(id, { recordId: 'one', recordType: 'SALE' })).toEqual([]);
  const createdAfter = daysAgo(2).toISOString();
  expect(await idsOf(id, {}, { createdAfter })).toEqual([unknown, third, second]);
  expect(await idsOf(id, { actor: 'key-1' }, { createdBefore: createdAfter })).toEqual([first]);
});

it('an entry is there for 400 days, and is hidden then, until it expires', async () => {
  const { id } = newProgram();
  const kept = await store(id, {}, 399);
  const expired = await store(id, {}, 401);
  expect(await idsOf(id, {})).toEqual([kept]);
  expect(await idsOf(id, {}, { createdAfter: daysAgo(500).toISOString() })).toEqual([kept]);
  expect((await readAuditEntry(id, kept, now))?.ttl).toBe(now.getTime() / 1000 + 24 * 60 * 60);
  expect(await readAuditEntry(id, expired, now)).toBeUndefined();
});
