import { readFileSync } from 'node:fs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { withNestedReads } from '../../events/nested-reads.ts';
import { auditEntries, auditResponse, listAuditEntries } from '../../shared/domain/audit/audit-log.ts';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { programs, setProgramPlan } from '../../shared/domain/programs/repository.ts';
import type { Kind } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { auditEntryOf } from '../../shared/webhooks/audit/audit-entry.ts';
import { auditedKinds, auditOf } from '../../shared/webhooks/audit/audited.ts';
import { fanOut as fanOutAt } from '../../shared/webhooks/fan-out/fan-out.ts';
import { changeOf, edited } from '../events/changes.ts';
import { costOf } from '../support/capacity.ts';
import { changeRecord } from '../support/changes.ts';
import { at, newProgram, now } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { testQueues } from '../support/queues.ts';
import { makeStoredSale } from '../support/sales.ts';
import { makeStoredAffiliate, makeStoredCoupon } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';

testQueues();
const fanOut = (records: readonly DynamoDBRecord[]) => fanOutAt(records, () => now);

const moment = { createdAt: at(0), updatedAt: at(0) };
const newCoupon = () => makeStoredCoupon({ id: newRecordId(now), ...moment });

const entriesOf = async (programId: string, filters = {}) => {
  const page = await listAuditEntries(programId, filters, { limit: 100 }, now);
  return page.items.map(auditResponse);
};

type Item = Record<string, unknown> & { id: string; version: number; updatedAt: string };

/** The frozen items of a kind, as tables have them. */
const frozenItems = (kind: string): Item[] => {
  const file = new URL(`../stored/items/${kind}.json`, import.meta.url);
  const items: Record<string, never>[] = JSON.parse(readFileSync(file, 'utf8'));
  return items.map((item) => unmarshall(item) as Item);
};

const audited = Object.keys(auditedKinds).filter((kind) => auditOf(kind) !== undefined);
const program = newProgram();

describe.each(audited)('an item of the kind %s, whatever version has stored it,', (kind) => {
  const items = frozenItems(kind);
  const entryOf = (before: Item | undefined, after: Item | undefined) =>
    auditEntryOf(
      changeOf(program.id, kind, { ...(before && { before }), ...(after && { after }) }),
      'change-1',
      program,
    );

  it('has one entry when it is created and one when it is deleted, with the same fields', async () => {
    for (const item of items) {
      const [created, deleted] = [await entryOf(undefined, item), await entryOf(item, undefined)];
      expect([created?.action, deleted?.action]).toEqual(['CREATED', 'DELETED']);
      expect(created?.changes).toBe(deleted?.changes);
      expect(created && Object.keys(auditResponse(created).changes).length).toBeGreaterThan(0);
    }
  });

  it('has none where nothing public changed, and none for what is no new version', async () => {
    for (const item of items) {
      expect(await entryOf(item, { ...item, version: item.version + 1, updatedAt: at(1000) })).toBeUndefined();
      const otherwise = items.find((other) => other.id !== item.id) ?? item;
      expect(await entryOf(item, { ...otherwise, version: item.version, plan: item.plan })).toBeUndefined();
    }
  });

  it('never shows what is encrypted or hashed, or how it is kept', async () => {
    const internal = /Secret$|Key$|Hash$|^(lastFour|searchWords|slot|seenBy|version|pk|sk|gsi)/;
    for (const item of items) {
      const entry = await entryOf(undefined, item);
      const changes = entry && auditResponse(entry).changes;
      expect(Object.keys(changes ?? {}).filter((name) => internal.test(name))).toEqual([]);
      const kept = Object.entries(item).flatMap(([name, value]) =>
        /Secret$|Key$|Hash$/.test(name) && typeof value === 'string' ? [value] : [],
      );
      for (const value of kept) expect(JSON.stringify(changes)).not.toContain(value);
    }
  });
});

describe('a change', () => {
  const setUp = async () => {
    const owner = await storeProgram();
    const coupon = { ...newCoupon(), by: 'M:ada@example.com', req: 'request-1' };
    return { owner, coupon, created: changeRecord(owner, 'COUPON', { after: coupon }) };
  };

  it('has the same entry however often it comes, also at once', async () => {
    const { owner, created } = await setUp();
    await fanOut([created]);
    await interrupted(
      () => fanOut([created, created]),
      () => fanOut([created]),
    );
    expect(await entriesOf(owner.id)).toMatchObject([
      {
        createdAt: at(0),
        action: 'CREATED',
        actor: { type: 'MEMBER', id: 'ada@example.com' },
        cause: { requestId: 'request-1', actor: { type: 'MEMBER', id: 'ada@example.com' } },
        changes: { percentOff: { from: null, to: 20 } },
      },
    ]);
  });

  const importedCoupons = (owner: Awaited<ReturnType<typeof storeProgram>>, count: number) =>
    Array.from({ length: count }, (_, row) => {
      const mark = { importedBy: `import-1#${row}`, quietBy: `import-1#${row}` };
      return changeRecord(owner, 'COUPON', { after: { ...newCoupon(), ...mark } });
    });

  it('of an import is written with those that come with it, in one call', async () => {
    const owner = await storeProgram();
    const { calls } = await costOf(() => fanOut(importedCoupons(owner, 20)));
    // The other one reads the program.
    expect(calls).toBe(2);
    expect(await entriesOf(owner.id)).toHaveLength(20);
  });

  it('of an import has the same entry however often it comes, as have those that come with it', async () => {
    const owner = await storeProgram();
    const [first, ...others] = importedCoupons(owner, 4);
    if (!first) throw new Error('No change was made');
    await fanOut([first]);
    await interrupted(
      () => fanOut([first, ...others, ...others]),
      () => fanOut(others),
      'transaction',
    );
    const entries = await entriesOf(owner.id);
    expect(entries).toHaveLength(4);
    expect(new Set(entries.map(({ recordId }) => recordId)).size).toBe(4);
  });

  it('has its entry even if its event cannot be made', async () => {
    const owner = await storeProgram();
    const orphan = { ...makeStoredSale('', moment), promotionalCodeId: newRecordId(now) };
    await fanOut([changeRecord(owner, 'SALE', { after: { ...orphan, affiliateId: null } as never })]);
    expect(await entriesOf(owner.id)).toMatchObject([{ recordType: 'SALE', action: 'CREATED' }]);
  });

  it('of a worker names the worker, and the request that it follows from', async () => {
    const coupon = newCoupon();
    const after = { ...edited(coupon, { name: 'Summer' }), by: 'S:finish-deletion', req: 'request-9 K:key-1' };
    const entry = await auditEntryOf(changeOf(program.id, 'COUPON', { before: coupon, after }), 'one', program);
    expect(entry && auditResponse(entry)).toMatchObject({
      actor: { type: 'SYSTEM', id: 'finish-deletion' },
      cause: { requestId: 'request-9', actor: { type: 'API_KEY', id: 'key-1' } },
      changes: { name: { from: 'Spring', to: 'Summer' } },
    });
  });

  it('has the time of the change, not the one that an import gives its record', async () => {
    const long = { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-01T00:00:00.000Z' };
    const change = changeOf(program.id, 'AFFILIATE', { after: makeStoredAffiliate(long) });
    expect((await auditEntryOf(change, 'one', program))?.createdAt).toBe(change.noticedAt.toISOString());
  });

  it.each([
    ['right after that of the affiliate in the same second', 9500, 9501],
    ['in the second that the table knows, where another parent was deleted later', 10_000, 9001],
  ])('of a sale that went with its affiliate is %s', async (_, deletedAt, expected) => {
    const before = makeStoredSale(newRecordId(now), moment);
    const tombstone = { at: at(deletedAt), by: 'K:key-1', req: 'request-1' };
    const reads = {
      ...withNestedReads({ ...program } as never).reads,
      deletions: async () => new Map([[`AFFILIATE/${before.affiliateId}`, tombstone]]),
    };
    const entry = await auditEntryOf(changeOf(program.id, 'SALE', { before }), 'one', { ...program, reads });
    expect(entry && auditResponse(entry)).toMatchObject({
      createdAt: at(expected),
      action: 'DELETED',
      actor: { type: 'SYSTEM', id: 'finish-deletion' },
      cause: { requestId: 'request-1', actor: { type: 'API_KEY', id: 'key-1' } },
    });
  });

  it('of the largest record is kept whole, before and after', async () => {
    const owner = await storeProgram();
    const ids = (letter: string) => Array.from({ length: 100 }, (_, at) => `${letter}${at}${'é'.repeat(400)}`);
    const before = makeStoredCoupon({ ...newCoupon(), productIds: ids('a') });
    const after = edited(before, { productIds: ids('b') });
    await fanOut([changeRecord(owner, 'COUPON', { before, after })]);
    expect((await entriesOf(owner.id))[0]?.changes).toEqual({
      productIds: { from: before.productIds, to: after.productIds },
    });
  });

  it('of the plan is one, though it is no new version of the program, and names who made it', async () => {
    const owner = await storeProgram();
    await setProgramPlan(owner.id, 'FREE');
    const before = { ...owner };
    const after = await programs.get(owner.id, owner.id);
    const entry = await auditEntryOf(
      changeOf(owner.id, 'PROGRAM', { before, after: { ...after } as never }),
      '1',
      owner,
    );
    expect(entry && auditResponse(entry)).toMatchObject({
      action: 'UPDATED',
      actor: null,
      cause: null,
      changes: { plan: { from: 'BUSINESS', to: 'FREE' } },
    });
  });

  it('of a deleted program has none', async () => {
    const { owner, created } = await setUp();
    await deleteProgram(owner.id);
    await fanOut([created]);
    expect(await entriesOf(owner.id)).toEqual([]);
  });

  const cost = async (kind: Kind, states: Parameters<typeof changeRecord>[2]) => {
    const owner = await storeProgram();
    const change = changeOf(owner.id, kind, states as never);
    const entry = await auditEntryOf(change, 'one', owner);
    if (!entry) throw new Error('The change has no entry');
    const { writeUnits } = await costOf(async () => writeTogether(auditEntries.createWrites(owner.id, entry)));
    // In a transaction, which costs twice as much.
    return writeUnits / 2;
  };

  it('costs at most 5 write units, of a new sale too', async () => {
    const by = { by: `K:${newRecordId(now)}`, req: 'JKJaXmPLvHcESHA', affiliateId: newRecordId(now) };
    const sale = {
      ...makeStoredSale(newRecordId(now), moment),
      ...by,
      email: 'customer@example.com',
      metadata: { plan: 'pro' },
    };
    expect(await cost('SALE', { after: sale })).toBeLessThanOrEqual(5);
    expect(await cost('SALE', { before: sale, after: edited(sale, { totalEarnedMinor: 1 }) })).toBeLessThanOrEqual(4);
  });
});
