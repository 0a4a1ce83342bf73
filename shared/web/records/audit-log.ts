import type { PageQuery } from '../../contract/page.ts';
import { type auditPages, showAuditLog } from '../../contract/pages/audit-log.ts';
import { auditResponse, listAuditEntries } from '../../domain/audit/audit-log.ts';
import { allApiKeys } from '../../domain/programs/repository.ts';
import type { PageRequest } from '../../platform/table/page.ts';
import { auditLogPath } from '../components/history-link.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { auditCsvColumns, auditLogView } from '../pages/audit-log.tsx';

type Filters = PageQuery<typeof showAuditLog>;

const listEntries = (programId: string, { recordType, recordId, actor }: Filters, request: PageRequest, now: Date) =>
  listAuditEntries(programId, { recordType, recordId, actor }, request, now);

/** By id: what people call a key. A deleted one has none. */
const keyNamesOf = async (programId: string): Promise<ReadonlyMap<string, string>> =>
  new Map((await allApiKeys(programId)).map(({ id, name }) => [id, name]));

export const auditHandlers: PageHandlersOf<typeof auditPages> = {
  showAuditLog: async ({ program, query, now }) => {
    const part = listPart(showAuditLog, program.id, auditLogPath(program.id), query);
    const [found, keyNames] = await Promise.all([
      listEntries(program.id, query, part.request, now),
      keyNamesOf(program.id),
    ]);
    return auditLogView(program.id, query, { part, page: found.map(auditResponse), keyNames });
  },

  downloadAuditLog: (request) => {
    const { program, query, now } = request;
    const read = async (page: PageRequest) => (await listEntries(program.id, query, page, now)).map(auditResponse);
    return csvDownload(request, {
      name: 'audit-log',
      columns: auditCsvColumns,
      range: rangeOf(query),
      count: (page) => listEntries(program.id, query, page, now),
      read,
    });
  },
};
