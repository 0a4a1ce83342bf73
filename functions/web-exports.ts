import { ApiError } from '../shared/contract/errors.ts';
import { exportPages } from '../shared/contract/pages/exports.ts';
import { exportLink, exports } from '../shared/domain/exports/export-record.ts';
import { createExport, findExport } from '../shared/domain/exports/manage-exports.ts';
import { downloadUrl } from '../shared/platform/objects/presigned.ts';
import { unfilled } from '../shared/web/components/controls.tsx';
import { exportPath, exportsView, exportView } from '../shared/web/pages/exports.tsx';
import { redirect } from '../shared/web/responses.ts';
import { webArea } from '../shared/web/web.ts';

/** More than anybody makes in the 30 days that they are kept. */
const shownExports = 50;

const newest = async (programId: string) => (await exports.page(programId, { limit: shownExports })).items;

export const handler = webArea(exportPages, {
  showExports: async ({ session, program, now }) =>
    exportsView({ session, programId: program.id, now }, await newest(program.id), unfilled),

  addExport: {
    submit: async ({ program, now }) => redirect(exportPath(program.id, (await createExport(program.id, now)).id)),
    showAgain: async ({ session, program, now }, filled) =>
      exportsView({ session, programId: program.id, now }, await newest(program.id), filled),
  },

  showExport: async ({ program, parameters, now }) =>
    exportView(program.id, await findExport(program.id, parameters.exportId), now),

  downloadExport: async ({ program, parameters, now }) => {
    const record = await findExport(program.id, parameters.exportId);
    const link = await exportLink(program.id, record, downloadUrl, now);
    if (link === null)
      throw new ApiError('not_found', 'The file of this export is not there. Export everything again.');
    return redirect(link);
  },
});
