import type { DynamoDBRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import { enterLink } from '../../shared/domain/affiliates/link-entry.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { auditResponse, listAuditEntries } from '../../shared/domain/audit/audit-log.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { withImportMark } from '../../shared/platform/table/import-mark.ts';
import { getItem } from '../../shared/platform/table/items.ts';
import type { Kind } from '../../shared/platform/table/partition.ts';
import { withQuietWrites } from '../../shared/platform/table/quiet-writes.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { fanOut as fanOutAt } from '../../shared/webhooks/fan-out/fan-out.ts';
import { changeRecord } from '../support/changes.ts';
import { at, now, storeAffiliate, storeSale } from '../support/domain.ts';
import { eventCounts } from '../support/events.ts';
import { testQueues } from '../support/queues.ts';
import { makeStoredLink } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';

// Changes without events: imports have entries in the audit log all the same, erasures have not.

testQueues();
const fanOut = (records: readonly DynamoDBRecord[]) => fanOutAt(records, () => now);

const entriesOf = async (programId: string, filters = {}) => {
  const page = await listAuditEntries(programId, filters, { limit: 100 }, now);
  return page.items.map(auditResponse);
};

/** What the stream says of a change that `action` makes of a record. */
const changeBy = async (
  owner: Awaited<ReturnType<typeof storeProgram>>,
  { kind, keyOf }: { kind: Kind; keyOf: (programId: string, id: string) => { pk: string; sk: string } },
  id: string,
  action: () => Promise<unknown>,
) => {
  const read = async () => ({ ...(await getItem('records', keyOf(owner.id, id))), id });
  const before = await read();
  await action();
  return changeRecord(owner, kind, { before, after: await read() });
};

const setUpQuietChanges = async () => {
  const owner = await storeProgram();
  const affiliate = await storeAffiliate(owner);
  const sale = await storeSale(owner, affiliate.id);
  const link = makeStoredLink({ id: newRecordId(now), affiliateId: affiliate.id, link: 'mara' });
  const edit = async (changes: Partial<StoredSale>) => {
    const before = await sales.get(owner.id, sale.id);
    if (before) await writeTogether(sales.updateWrites(owner.id, before, { ...before, ...changes }));
  };
  const ofSale = (changes: Partial<StoredSale>) => changeBy(owner, sales, sale.id, () => edit(changes));
  const ofAffiliate = () => changeBy(owner, affiliates, affiliate.id, () => enterLink(owner.id, link, now));
  return { owner, affiliate, sale, ofSale, ofAffiliate };
};

it('each change that a row of an import makes without events has an entry, as has its link on the affiliate', async () => {
  const { owner, affiliate, sale, ofSale, ofAffiliate } = await setUpQuietChanges();
  const importId = newRecordId(now);
  const changes = await withImportMark({ importId, row: 7, makesEvents: false }, async () => [
    await ofSale({ refundedAmountMinor: 100 }),
    await ofSale({ paidAt: at(0) }),
    await ofAffiliate(),
  ]);
  for (const change of changes) await fanOut([change]);
  const fieldsOf = async (recordId: string) =>
    (await entriesOf(owner.id, { recordId })).map((entry) => Object.keys(entry.changes));
  expect(await fieldsOf(String(Number(sale.id)))).toEqual(expect.arrayContaining([['refundedAmount'], ['paidAt']]));
  expect(await fieldsOf(affiliate.id)).toEqual([['affiliateLinks']]);
  expect(await eventCounts(owner.id)).toEqual({});
});

it('a change of an erasure has no entry, also of a record that was imported', async () => {
  const { owner, ofSale, ofAffiliate } = await setUpQuietChanges();
  const mark = { importId: newRecordId(now), row: 7, makesEvents: false };
  await withImportMark(mark, () => ofSale({ name: 'Mara' }));
  const changes = await withQuietWrites(newRecordId(now), async () => [
    await ofSale({ name: 'erased' }),
    await ofAffiliate(),
  ]);
  await fanOut(changes);
  expect(await entriesOf(owner.id)).toEqual([]);
});
