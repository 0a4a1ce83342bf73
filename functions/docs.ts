import { apiBasePath } from '../shared/contract/base-paths.ts';
import { readDocumentation } from '../shared/contract/documentation.ts';
import { operations } from '../shared/contract/operations.ts';
import { documentationPage } from '../shared/documentation/page.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';

const page = documentationPage(operations, apiBasePath);

export const handler = apiPath(serve(readDocumentation, () => page));
