import { apiBasePath } from '../shared/contract/base-paths.ts';
import { readOpenApi } from '../shared/contract/documentation.ts';
import { connectorOperations, operations } from '../shared/contract/operations.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { openApiDocument } from '../shared/http/openapi.ts';

// The address is relative to where the document was read: it is the same on every stage and domain.
const mainDocument = openApiDocument('Affiliate program API', apiBasePath, operations);
let connectorDocument: ReturnType<typeof openApiDocument> | undefined;

export const handler = apiPath(
  serve(readOpenApi, ({ basePath }) => {
    if (basePath === apiBasePath) return mainDocument;
    connectorDocument ??= openApiDocument('Affiliate program connector', basePath, connectorOperations);
    return connectorDocument;
  }),
);
