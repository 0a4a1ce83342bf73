import { requireRecord } from '../../contract/errors.ts';
import { type importPages, showImports } from '../../contract/pages/imports.ts';
import { imports, type StoredImport } from '../../domain/imports/import-record.ts';
import { cancelImport, createImport, planImport, startImport } from '../../domain/imports/manage-imports.ts';
import { chosenMapping, previewUpload } from '../../domain/imports/preview-upload.ts';
import { type Phase, readRowResults } from '../../domain/imports/row-results.ts';
import { templateOf } from '../../domain/imports/rows/mapping.ts';
import type { RowProblem } from '../../domain/imports/rows/read-rows.ts';
import { withDownloadSlot } from '../../domain/programs/download-slots.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { uploadForm } from '../../platform/objects/presigned.ts';
import { csvLines } from '../../platform/text/csv.ts';
import { unfilled } from '../components/controls.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvFile } from '../lists/csv-download.ts';
import { listPart } from '../lists/list-part.ts';
import { columnsView, importView, maxProblemsShown, uploadView } from '../pages/import.tsx';
import { importKindWords, importPath, importsPath, importsView, newImportView } from '../pages/imports.tsx';
import { redirect } from '../responses.ts';
import { appUrl } from '../session/app-url.ts';
import type { Session } from '../session/session.ts';

const maxBytes = 50 * 1024 * 1024;
const uploadSeconds = 60 * 60;

const findImport = async (programId: string, importId: string): Promise<StoredImport> =>
  requireRecord(await imports.get(programId, importId), 'Import');

const formFor = (programId: string, { id }: StoredImport) =>
  uploadForm(
    { kind: 'import-files', programId, id },
    {
      maxBytes,
      seconds: uploadSeconds,
      redirect: new URL(importPath(programId, id), appUrl()).href,
    },
  );

/** What was counted last: the run, once there is one. */
const phaseOf = ({ status, done }: StoredImport): Phase =>
  status === 'RUNNING' || status === 'DONE' || Object.values(done).some(Boolean) ? 'RUN' : 'PLAN';

const firstProblems = async (programId: string, record: StoredImport): Promise<RowProblem[]> => {
  const problems: RowProblem[] = [];
  if (record[phaseOf(record) === 'RUN' ? 'done' : 'planned'].refused === 0) return problems;
  for await (const result of readRowResults(programId, record.id, phaseOf(record))) {
    problems.push(...result.problems);
    if (problems.length >= maxProblemsShown) break;
  }
  return problems.slice(0, maxProblemsShown);
};

async function* reportLines(programId: string, record: StoredImport) {
  yield csvLines([['row', 'outcome', 'column', 'message']]);
  for await (const { row, outcome, problems } of readRowResults(programId, record.id, phaseOf(record))) {
    const lines = problems.map(({ column, message }) => [row, outcome, column, message]);
    yield csvLines(lines.length > 0 ? lines : [[row, outcome, '', '']]);
  }
}

interface Asked {
  session: Session;
  program: StoredProgram;
  now: Date;
}

const viewOf = async ({ session, program, now }: Asked, record: StoredImport, choosesColumns: boolean) => {
  const shown = { session, program, record };
  const isOpen = record.status === 'UPLOADING' || (record.status === 'PLANNED' && choosesColumns);
  if (!isOpen) return importView(shown, await firstProblems(program.id, record));
  const [form, preview] = await Promise.all([formFor(program.id, record), previewUpload({ program, now }, record)]);
  return typeof preview === 'object' ? columnsView(shown, form, preview) : uploadView(shown, form, preview);
};

export const importHandlers: PageHandlersOf<typeof importPages> = {
  showImports: async ({ program, query }) => {
    const part = listPart(showImports, program.id, importsPath(program.id), query);
    return importsView(program, part, await imports.page(program.id, part.request));
  },

  showNewImport: ({ session, program, query }) => newImportView({ session, program }, query.kind, unfilled),

  addImport: {
    submit: async ({ program, form: { kind, preset, makesEvents }, now }) => {
      const { id } = await createImport(
        program.id,
        { kind, preset: preset ?? null, fileName: importKindWords[kind], makesEvents: makesEvents === 'on' },
        now,
      );
      return redirect(importPath(program.id, id));
    },
    showAgain: ({ session, program }, filled) => newImportView({ session, program }, undefined, filled),
  },

  downloadImportTemplate: ({ query: { kind } }) => csvFile(`${kind}-template`, [templateOf(kind)]),

  showImport: async ({ session, program, parameters, query, now }) =>
    viewOf({ session, program, now }, await findImport(program.id, parameters.importId), query.columns === 'choose'),

  planUpload: {
    submit: async ({ program, parameters: { importId }, form: { etag, ...columns }, now }) => {
      const record = await findImport(program.id, importId);
      const columnAt = (place: number) => (columns as Readonly<Record<string, string | undefined>>)[`header${place}`];
      const mapping = await chosenMapping(program.id, record, etag, columnAt);
      await planImport(program.id, importId, { etag, mapping }, now);
      return redirect(importPath(program.id, importId));
    },
    showAgain: async ({ session, program, parameters, now }, filled) => {
      const record = await findImport(program.id, parameters.importId);
      const [form, preview] = await Promise.all([formFor(program.id, record), previewUpload({ program, now }, record)]);
      const shown = { session, program, record };
      return typeof preview === 'object'
        ? columnsView(shown, form, preview, filled)
        : uploadView(shown, form, preview ?? filled.message);
    },
  },

  runPlannedImport: async ({ program, parameters: { importId }, now }) => {
    await startImport(program.id, importId, now);
    return redirect(importPath(program.id, importId));
  },

  stopImport: async ({ program, parameters: { importId }, now }) => {
    await cancelImport(program.id, importId, now);
    return redirect(importPath(program.id, importId));
  },

  downloadImportReport: ({ session, program, parameters, now }) =>
    withDownloadSlot(session.email, now, async () => {
      const record = await findImport(program.id, parameters.importId);
      return csvFile('import-report', reportLines(program.id, record));
    }),
};
