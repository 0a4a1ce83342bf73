import { auditOperations } from '../shared/contract/audit-log.ts';
import { requireRecord } from '../shared/contract/errors.ts';
import { auditResponse, listAuditEntries, readAuditEntry } from '../shared/domain/audit/audit-log.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';

const readOne = async (programId: string, id: string, now: Date) =>
  auditResponse(requireRecord(await readAuditEntry(programId, id, now), 'Audit entry'));

export const handler = apiPath(auditOperations, {
  readAuditEntry: ({ program, parameters, now }) => readOne(program.id, parameters.id.value, now),
  listAuditLog: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return readOne(program.id, selector.value, now);
    return (await listAuditEntries(program.id, query, page, now)).map(auditResponse);
  },
});
