import { webPage } from '../page.ts';
import { noFields } from './operation-form.ts';

/** An export contains everything of a program, so viewers may not make one. */
const area = { function: 'web-exports', auth: 'session', role: 'MANAGER' } as const;
const path = '/programs/{programId}/exports';
const pathOfOne = `${path}/{exportId}` as const;

const showExports = webPage({ ...area, id: 'showExports', method: 'GET', path, needs: ['EXPORT:list'] });

const addExport = webPage({
  ...area,
  id: 'addExport',
  creates: true,
  method: 'POST',
  path,
  form: noFields,
  needs: ['EXPORT:create', 'EXPORT:read', 'EXPORT:change', 'EXPORT:delete', 'EXPORT:list'],
});

const showExport = webPage({ ...area, id: 'showExport', method: 'GET', path: pathOfOne, needs: ['EXPORT:read'] });

/** Redirects to a new link each time, so that no page contains one. */
const downloadExport = webPage({
  ...area,
  id: 'downloadExport',
  method: 'GET',
  path: `${pathOfOne}/file`,
  needs: ['EXPORT:read', 'export-files:read'],
});

export const exportPages = [showExports, addExport, showExport, downloadExport] as const;
