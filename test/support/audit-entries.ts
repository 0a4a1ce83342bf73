import { auditExpiryOf, type StoredAuditEntry } from '../../shared/domain/audit/audit-log.ts';
import { type Changes, packChanges } from '../../shared/domain/audit/changes.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';

const changes: Changes = { name: { from: 'Spring', to: 'Summer' } };

/** An edit of a sale a moment ago, as the table keeps it. */
export const makeStoredAuditEntry = (
  overrides: Partial<StoredAuditEntry> = {},
  now = new Date(),
): StoredAuditEntry => ({
  id: newRecordId(now),
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
  version: 1,
  ttl: auditExpiryOf(now.toISOString()),
  action: 'UPDATED',
  recordType: 'SALE',
  recordId: '1',
  by: 'K:key-1',
  req: 'request-1',
  changes: packChanges('UPDATED', changes),
  ...overrides,
});
