import * as z from 'zod';
import { webPage } from '../page.ts';

const area = { function: 'web-docs', method: 'GET', auth: 'none', needs: ['api-url:use'] } as const;

const showReference = webPage({ ...area, id: 'showReference', path: '/docs' });

const showGuide = webPage({ ...area, id: 'showGuide', path: '/docs/{guide}' });

/** For readers without JavaScript; with it, the pages search by themselves. */
const searchDocumentation = webPage({
  ...area,
  id: 'searchDocumentation',
  path: '/docs/search',
  query: z.object({ q: z.string().max(200).default('') }),
});

/** Scripts, styles and the search index. Their names change with their content. */
const readDocumentationFile = webPage({ ...area, id: 'readDocumentationFile', path: '/docs/files/{file}' });

/** Pages that are the same for everybody. They know no session. */
export const documentationPages = [showReference, showGuide, searchDocumentation, readDocumentationFile] as const;
