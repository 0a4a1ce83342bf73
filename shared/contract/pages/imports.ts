import * as z from 'zod';
import { text } from '../fields.ts';
import { ImportKind, ImportPreset } from '../imports.ts';
import { webPage } from '../page.ts';
import { cursor, filter } from './list-query.ts';
import { noFields } from './operation-form.ts';

/** A Lambda of its own: nothing else in the dashboard needs the client of the bucket. */
const area = { function: 'web-imports', auth: 'session' } as const;
const path = '/programs/{programId}/imports';
const pathOfOne = `${path}/{importId}` as const;

export const showImports = webPage({
  ...area,
  id: 'showImports',
  method: 'GET',
  path,
  query: z.object({ cursor }),
  needs: ['IMPORT:list'],
});

const showNewImport = webPage({
  ...area,
  id: 'showNewImport',
  method: 'GET',
  path: `${path}/new`,
  query: z.object({ kind: filter(ImportKind) }),
  needs: [],
});

const addImport = webPage({
  ...area,
  id: 'addImport',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: z.strictObject({ kind: ImportKind, preset: ImportPreset.optional(), makesEvents: z.literal('on').optional() }),
  needs: ['IMPORT:create'],
});

const downloadImportTemplate = webPage({
  ...area,
  id: 'downloadImportTemplate',
  method: 'GET',
  path: `${path}/template.csv`,
  query: z.object({ kind: ImportKind.catch('affiliates') }),
  needs: [],
});

const showImport = webPage({
  ...area,
  id: 'showImport',
  method: 'GET',
  path: pathOfOne,
  // `columns` shows the choice of columns again after the dry run.
  query: z.object({ columns: filter(z.literal('choose')) }),
  needs: ['IMPORT:read', 'IMPORT:list', 'import-files:read', 'import-files:write'],
});

const planUpload = webPage({
  ...area,
  id: 'planUpload',
  method: 'POST',
  path: `${pathOfOne}/plan`,
  /** `header<n>` is the column of the header at that place; without one it is not imported. */
  form: z.object({ etag: text(200) }).catchall(z.string().max(300)),
  needs: ['IMPORT:read', 'IMPORT:create', 'IMPORT:change', 'import-files:read', 'import-files:write'],
});

const runPlannedImport = webPage({
  ...area,
  id: 'runPlannedImport',
  method: 'POST',
  path: `${pathOfOne}/run`,
  form: noFields,
  needs: ['IMPORT:read', 'IMPORT:create', 'IMPORT:change'],
});

const stopImport = webPage({
  ...area,
  id: 'stopImport',
  method: 'POST',
  path: `${pathOfOne}/cancel`,
  form: noFields,
  needs: ['IMPORT:read', 'IMPORT:change', 'IMPORT:delete'],
});

const downloadImportReport = webPage({
  ...area,
  id: 'downloadImportReport',
  method: 'GET',
  path: `${pathOfOne}/report.csv`,
  needs: ['IMPORT:read', 'IMPORT:list'],
});

export const importPages = [
  showImports,
  showNewImport,
  addImport,
  downloadImportTemplate,
  showImport,
  planUpload,
  runPlannedImport,
  stopImport,
  downloadImportReport,
] as const;
