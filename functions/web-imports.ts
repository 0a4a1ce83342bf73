import { importPages } from '../shared/contract/pages/imports.ts';
import { importHandlers } from '../shared/web/records/imports.ts';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(importPages, importHandlers);
