import { createHmac } from 'node:crypto';
import { maxHostCharacters } from '../statistics/host-names.ts';

// The byte layout of a click id, shared by its writer and its reader.

/** The first byte: whether a browser keeps its first click or its last one. `ref.js` reads it too, and the days and the time. */
export const forms = { LAST_CLICK: 1, FIRST_CLICK: 2 } as const;
export const daysBytes = 2;
export const idBytes = 16;
export const timeBytes = 6;
export const randomPart = 8;
export const signatureBytes = 16;
export const headBytes = 1 + daysBytes;
export const signedBytes = headBytes + 3 * idBytes + timeBytes + randomPart;
const charactersOf = (bytes: number): number => Math.ceil((bytes * 4) / 3);
const shortest = charactersOf(signedBytes + signatureBytes);
/** The host comes last and may be empty, as in the ids of earlier versions. */
const longest = charactersOf(signedBytes + maxHostCharacters + signatureBytes);
export const shape = new RegExp(`^[A-Za-z0-9_-]{${shortest},${longest}}$`);

export const signatureOf = (signed: Buffer, key: string): Buffer =>
  createHmac('sha256', key).update('click').update(signed).digest().subarray(0, signatureBytes);
