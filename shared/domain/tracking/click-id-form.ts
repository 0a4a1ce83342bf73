import { createHmac } from 'node:crypto';

// How a click id is made of bytes, for what makes one and for what reads it.

/** The first byte, which the script reads too: whether a browser keeps its first click or its last one. */
export const forms = { LAST_CLICK: 1, FIRST_CLICK: 2 } as const;
export const daysBytes = 2;
export const idBytes = 16;
export const timeBytes = 6;
export const randomPart = 8;
const signatureBytes = 16;
export const headBytes = 1 + daysBytes;
export const signedBytes = headBytes + 3 * idBytes + timeBytes + randomPart;
export const shape = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil(((signedBytes + signatureBytes) * 4) / 3)}}$`);

export const signatureOf = (signed: Buffer, key: string): Buffer =>
  createHmac('sha256', key).update('click').update(signed).digest().subarray(0, signatureBytes);
