import { brotliCompressSync, constants } from 'node:zlib';
import { connectorDocument, mainDocument } from './documents.at-build.ts';

/** Of 11: the highest takes 0.3 s, which every first start waits for, and saves 8 % of their size. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const compressed = (text: string): string => brotliCompressSync(text, quality).toString('base64');

/** As text they are 440 KB of code, which each start would have to read. */
export const compressedMainDocument = compressed(mainDocument);
export const compressedConnectorDocument = compressed(connectorDocument);
