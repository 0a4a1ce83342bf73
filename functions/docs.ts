import { apiBasePath } from '../shared/contract/base-paths.ts';
import { documentationOperations } from '../shared/contract/documentation.ts';
import { operations } from '../shared/contract/operations.ts';
import { CacheableDocument } from '../shared/http/cacheable-document.ts';
import { publicPath } from '../shared/http/public-path.ts';
import { documentationPage } from '../shared/web/documentation/page.tsx';

const { text, headers } = documentationPage(operations, apiBasePath);
const page = new CacheableDocument(text, headers);

export const handler = publicPath(documentationOperations, {
  readDocumentation: () => page,
});
