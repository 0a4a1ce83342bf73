import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AuditAction } from '../../../shared/contract/audit-log.ts';
import {
  auditEntries,
  auditResponse,
  listAuditEntries,
  type StoredAuditEntry,
} from '../../../shared/domain/audit/audit-log.ts';
import { type Changes, changesBetween, packChanges, unpackChanges } from '../../../shared/domain/audit/changes.ts';
import { readErasure, startErasure } from '../../../shared/domain/privacy/start-erasure.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { makeStoredAuditEntry } from '../../support/audit-entries.ts';
import { at, newProgram, now, storeAffiliate, storeReferral } from '../../support/domain.ts';
import { erase, itemsWith, workOnErasure } from '../../support/erasures.ts';
import { newPerson } from './person.ts';

afterEach(() => vi.restoreAllMocks());

it('a history of a person says that a field was empty, and of which kind it was, but no more', async () => {
  const program = newProgram();
  const { id: recordId, email } = await storeReferral(program);
  const changes: Changes = {
    name: { from: null, to: 'Mara' },
    notes: { from: 'Knows Amara', to: '' },
    metadata: { from: { phone: '1' }, to: {} },
    affiliateLinks: { from: [], to: ['mara'] },
    plan: { from: 'A', to: 'B' },
  };
  const entry = makeStoredAuditEntry(
    { recordType: 'REFERRAL', recordId, changes: packChanges('UPDATED', changes) },
    now,
  );
  await writeTogether(auditEntries.createWrites(program.id, entry));
  await erase(program.id, email);
  const after = await auditEntries.get(program.id, entry.id);
  expect(unpackChanges('UPDATED', after?.changes ?? '')).toEqual({
    name: { from: null, to: 'erased' },
    notes: { from: 'erased', to: '' },
    metadata: { from: {}, to: {} },
    affiliateLinks: { from: [], to: [] },
    plan: { from: 'A', to: 'B' },
  });
});

describe('the history of records that were deleted', () => {
  type State = Readonly<Record<string, unknown>>;
  type About = Pick<StoredAuditEntry, 'recordType' | 'recordId'>;

  const history = (programId: string) => {
    let second = 0;
    return async (action: AuditAction, about: About, before: State, after: State) => {
      const createdAt = at(-100_000 + 1000 * second++);
      const changes = packChanges(action, changesBetween(before, after));
      const fields = { ...about, action, changes, createdAt, updatedAt: createdAt };
      const entry = { ...makeStoredAuditEntry({}, new Date(createdAt)), ...fields };
      await writeTogether(auditEntries.createWrites(programId, entry));
    };
  };

  /** Created, edited and deleted, in a program that keeps nothing but this. */
  const lived = async (add: ReturnType<typeof history>, about: About, state: State, edited: State) => {
    await add('CREATED', about, {}, state);
    await add('UPDATED', about, state, { ...state, ...edited });
    await add('DELETED', about, { ...state, ...edited }, {});
  };

  const changesOf = async (programId: string, { recordId }: About) =>
    (await listAuditEntries(programId, { recordId }, { limit: 10 }, now)).items.map(
      (entry) => auditResponse(entry).changes,
    );

  const aboutNew = (recordType: About['recordType']): About => ({ recordType, recordId: randomUUID() });

  /** A customer and affiliate of whom nothing but the audit log is left, beside customers of that affiliate. */
  const storeHistories = async () => {
    const [program, person, other] = [newProgram(), newPerson(), newPerson()];
    const add = history(program.id);
    const { email, fullName: name, firstName, lastName, unique } = person;
    const metadata = { phone: unique, note: unique.repeat(40) };
    const ofOther = { email: other.email, name: other.fullName, metadata: { phone: other.unique } };
    const [affiliate, link, code, referral] = (['AFFILIATE', 'LINK', 'PROMOTIONAL_CODE', 'REFERRAL'] as const).map(
      aboutNew,
    );
    if (!affiliate || !link || !code || !referral) throw new Error('Each has a name');
    const customer = { name, metadata, customerId: `user-${unique}` };
    await lived(add, { recordType: 'SALE', recordId: '41' }, { ...customer, totalEarned: 5 }, { name: `${name} II` });
    await lived(add, affiliate, { firstName, lastName, email, metadata }, { lastName: `${lastName}-Too` });
    await lived(add, link, { affiliateId: affiliate.recordId, link: firstName }, { link: `${firstName}-too` });
    const limited = { affiliateId: affiliate.recordId, code: `${firstName}20`, customerId: `user-${other.unique}` };
    await lived(add, code, limited, { code: `${firstName}30` });
    const referred = { name, email, metadata, referredUserExternalId: `user-${unique}`, notes: '' };
    await lived(add, referral, referred, { notes: `Knows ${name}` });
    await lived(
      add,
      { recordType: 'SALE', recordId: '42' },
      { name, referralId: referral.recordId },
      { name: `${name} II` },
    );
    await lived(add, { recordType: 'SALE', recordId: '43' }, { name, email: `old-${unique}@example.com` }, { email });
    const ofAffiliate = { ...ofOther, affiliateId: affiliate.recordId, customerId: `user-${other.unique}` };
    await lived(add, aboutNew('REFERRAL'), ofAffiliate, { notes: `Knows ${other.fullName}` });
    await lived(add, { recordType: 'SALE', recordId: '44' }, ofAffiliate, { email: null });
    return { program, person, other, add, referral };
  };

  it('has nothing of the person, who is in none of the records that are left', async () => {
    const { program, person, referral } = await storeHistories();
    expect(await itemsWith([person.unique], program.id)).toHaveLength(21);
    const { erased } = await erase(program.id, person.email);
    expect(await itemsWith([person.unique], program.id)).toEqual([]);
    expect(erased).toEqual({ AUDIT: 21 });
    expect(await changesOf(program.id, referral)).toContainEqual({ notes: { from: '', to: 'erased' } });
  });

  it('stays that of whoever was a customer of the person as an affiliate', async () => {
    const { program, person, other, add } = await storeHistories();
    const { id: affiliateId } = await storeAffiliate(program, { email: person.email });
    const state = { affiliateId, name: other.fullName, email: other.email };
    await lived(add, aboutNew('REFERRAL'), state, { notes: `Knows ${other.fullName}` });
    const read = () => itemsWith([other.fullName, other.email], program.id);
    const before = await read();
    expect(before).toHaveLength(9);
    await erase(program.id, person.email);
    expect(await read()).toEqual(before);
  });

  it('is erased once, however often its messages come, and whenever their worker dies', async () => {
    const { program, person } = await storeHistories();
    const { id } = await startErasure(program.id, person.email, now);
    const send = documents.send.bind(documents);
    let transactions = 0;
    vi.spyOn(documents, 'send').mockImplementation(async (command: Parameters<typeof send>[0]) => {
      if (!(command instanceof TransactWriteCommand)) return send(command);
      transactions += 1;
      // Before it, after it, and then it lives.
      if (transactions % 3 === 0) return send(command);
      if (transactions % 3 === 2) await send(command);
      throw new Error('killed');
    });
    await workOnErasure(program.id, id, { onFailure: (error) => expect(error).toMatchObject({ message: 'killed' }) });
    vi.restoreAllMocks();
    expect(await itemsWith([person.unique], program.id)).toEqual([]);
    expect(await readErasure(program.id, id)).toMatchObject({ status: 'DONE', erased: { AUDIT: 21 } });
  });

  it('stays that of whoever has had the record since, but for what the person left in it', async () => {
    const { program, person, other, add } = await storeHistories();
    const about = aboutNew('REFERRAL');
    const { email, fullName: name } = other;
    const theirs = { name: person.fullName, email: person.email, plan: 'A' };
    await add('CREATED', about, {}, theirs);
    await add('UPDATED', about, theirs, { name, email, plan: 'B' });
    await add('UPDATED', about, { name }, { name: `${name} II` });
    await add('DELETED', about, { name: `${name} II`, email, plan: 'B' }, {});
    await erase(program.id, person.email);
    expect(await changesOf(program.id, about)).toEqual([
      { name: { from: `${name} II`, to: null }, email: { from: email, to: null }, plan: { from: 'B', to: null } },
      { name: { from: name, to: `${name} II` } },
      { name: { from: 'erased', to: name }, email: { from: 'erased', to: email }, plan: { from: 'A', to: 'B' } },
      { name: { from: null, to: 'erased' }, email: { from: null, to: 'erased' }, plan: { from: null, to: 'A' } },
    ]);
  });
});
