import { connectorDocument, mainDocument } from '../../../shared/http/openapi/documents.at-build.ts';

export const main = JSON.parse(mainDocument);
export const connector = JSON.parse(connectorDocument);
