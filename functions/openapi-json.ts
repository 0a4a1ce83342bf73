import { apiBasePath } from '../shared/contract/base-paths.ts';
import { openApiOperations } from '../shared/contract/documentation.ts';
import type { Operation } from '../shared/contract/operation.ts';
import { connectorOperations, operations } from '../shared/contract/operations.ts';
import { apiPath } from '../shared/http/api.ts';
import { CacheableDocument } from '../shared/http/cacheable-document.ts';
import { openApiDocument } from '../shared/http/openapi.ts';

const documentOf = (title: string, basePath: string, described: readonly Operation[]): CacheableDocument =>
  new CacheableDocument(JSON.stringify(openApiDocument(title, basePath, described)), {
    'content-type': 'application/json; charset=utf-8',
  });

// The address is relative to where the document was read: it is the same on every stage and domain.
const mainDocument = documentOf('Affiliate program API', apiBasePath, operations);
let connectorDocument: CacheableDocument | undefined;

export const handler = apiPath(openApiOperations, {
  readOpenApi: ({ basePath }) => {
    if (basePath === apiBasePath) return mainDocument;
    connectorDocument ??= documentOf('Affiliate program connector', basePath, connectorOperations);
    return connectorDocument;
  },
});
