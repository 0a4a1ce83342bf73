import { readDocumentation } from '../shared/contract/documentation.ts';
import { apiBasePath, operations } from '../shared/contract/operations.ts';
import { documentationPage } from '../shared/documentation/page.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';

const page = documentationPage(operations, apiBasePath);

export const handler = apiPath(serve(readDocumentation, () => page));
