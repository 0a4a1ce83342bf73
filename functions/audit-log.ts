import { auditOperations } from '../shared/contract/audit-log.ts';
import { requireRecord } from '../shared/contract/errors.ts';
import { auditResponse, listAuditEntries, readAuditEntry } from '../shared/domain/audit/audit-log.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(auditOperations, {
  readAuditEntry: async ({ program, parameters, now }) =>
    auditResponse(requireRecord(await readAuditEntry(program.id, parameters.id.value, now), 'Audit entry')),
  listAuditLog: async ({ program, query, page, now }) =>
    (await listAuditEntries(program.id, query, page, now)).map(auditResponse),
});
