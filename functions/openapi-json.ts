import { readOpenApi } from '../shared/contract/documentation.ts';
import { apiBasePath } from '../shared/contract/operations.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { openApiDocument } from '../shared/http/openapi.ts';

// The address is relative to where the document was read: it is the same on every stage and domain.
const document = openApiDocument(apiBasePath);

export const handler = apiPath(serve(readOpenApi, () => document));
