import { apiBasePath } from '../shared/contract/base-paths.ts';
import { openApiOperations } from '../shared/contract/documentation.ts';
import { apiPath } from '../shared/http/api.ts';
import { CacheableDocument } from '../shared/http/cacheable-document.ts';
import {
  addressPlaceholder,
  basePathPlaceholder,
  connectorDocument,
  mainDocument,
} from '../shared/http/openapi/documents.built.ts';
import { publicUrl } from '../shared/http/respond.ts';

const documentOf = (text: string, basePath: string): CacheableDocument =>
  new CacheableDocument(
    text.replaceAll(addressPlaceholder, publicUrl('/').origin).replaceAll(basePathPlaceholder, basePath),
    { 'content-type': 'application/json; charset=utf-8' },
  );

const documents = new Map<string, CacheableDocument>();

export const handler = apiPath(openApiOperations, {
  readOpenApi: ({ basePath }) => {
    const known = documents.get(basePath);
    if (known) return known;
    const made = documentOf(basePath === apiBasePath ? mainDocument : connectorDocument, basePath);
    documents.set(basePath, made);
    return made;
  },
});
