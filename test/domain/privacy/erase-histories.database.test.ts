import { expect, it } from 'vitest';
import { auditEntries } from '../../../shared/domain/audit/audit-log.ts';
import { type Changes, packChanges, unpackChanges } from '../../../shared/domain/audit/changes.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { makeStoredAuditEntry } from '../../support/audit-entries.ts';
import { newProgram, now, storeReferral } from '../../support/domain.ts';
import { erase } from '../../support/erasures.ts';

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
