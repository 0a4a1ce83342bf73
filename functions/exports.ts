import { exportOperations } from '../shared/contract/exports.ts';
import { exportResponse, exports, type StoredExport } from '../shared/domain/exports/export-record.ts';
import { createExport, findExport } from '../shared/domain/exports/manage-exports.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';
import { downloadUrl } from '../shared/platform/objects/presigned.ts';

const respond = (programId: string, now: Date) => (record: StoredExport) =>
  exportResponse(programId, record, downloadUrl, now);

export const handler = apiPath(exportOperations, {
  readExport: async ({ program, parameters, now }) =>
    respond(program.id, now)(await findExport(program.id, parameters.id.value)),
  listExports: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return respond(program.id, now)(await findExport(program.id, selector.value));
    return exports.page(program.id, page);
  },
  createExport: async ({ program, now, idempotency }) =>
    respond(program.id, now)(await createExport(program.id, now, idempotency)),
});
