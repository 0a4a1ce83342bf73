import { brotliDecompressSync } from 'node:zlib';
import { apiBasePath } from '../shared/contract/base-paths.ts';
import { openApiOperations } from '../shared/contract/documentation.ts';
import { CacheableDocument } from '../shared/http/cacheable-document.ts';
import {
  compressedConnectorDocument,
  compressedMainDocument,
} from '../shared/http/openapi/compressed-documents.at-build.ts';
import { addressPlaceholder, basePathPlaceholder } from '../shared/http/openapi/documents.at-build.ts';
import { publicPath } from '../shared/http/public-path.ts';
import { publicUrl } from '../shared/http/respond.ts';

const documentOf = (compressed: string, basePath: string): CacheableDocument => {
  const text = brotliDecompressSync(Buffer.from(compressed, 'base64')).toString();
  return new CacheableDocument(
    text.replaceAll(addressPlaceholder, publicUrl('/').origin).replaceAll(basePathPlaceholder, basePath),
    { 'content-type': 'application/json; charset=utf-8' },
  );
};

const documents = new Map<string, CacheableDocument>();

export const handler = publicPath(openApiOperations, {
  readOpenApi: ({ basePath }) => {
    const known = documents.get(basePath);
    if (known) return known;
    const made = documentOf(basePath === apiBasePath ? compressedMainDocument : compressedConnectorDocument, basePath);
    documents.set(basePath, made);
    return made;
  },
});
