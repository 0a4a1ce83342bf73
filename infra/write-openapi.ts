import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiBasePath, connectorBasePath } from '../shared/contract/base-paths.ts';
import {
  addressPlaceholder,
  basePathPlaceholder,
  connectorDocument,
  mainDocument,
} from '../shared/http/openapi/documents.at-build.ts';

/** Writes both OpenAPI documents to `.build/openapi`, for tools that read files. They name an address of no deployment. */

const folder = fileURLToPath(new URL('../.build/openapi/', import.meta.url));

const write = (name: string, text: string, basePath: string): void => {
  const filled = text
    .replaceAll(addressPlaceholder, 'https://affiliate-program.test')
    .replaceAll(basePathPlaceholder, basePath);
  writeFileSync(join(folder, name), `${JSON.stringify(JSON.parse(filled), null, 2)}\n`);
};

mkdirSync(folder, { recursive: true });
write('main.json', mainDocument, apiBasePath);
write('connector.json', connectorDocument, connectorBasePath('automation'));
