import { brotliCompressSync } from 'node:zlib';
import { connectorDocument, mainDocument } from './documents.at-build.ts';

const compressed = (text: string): string => brotliCompressSync(text).toString('base64');

/** As text they are 440 KB of code, which each start would have to read. */
export const compressedMainDocument = compressed(mainDocument);
export const compressedConnectorDocument = compressed(connectorDocument);
