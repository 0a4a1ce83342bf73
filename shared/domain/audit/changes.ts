import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { AuditAction, AuditEntry } from '../../contract/audit-log.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Changes = AuditEntry['changes'];

const fieldOf = (fields: Fields | undefined, name: string): unknown =>
  fields && Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;

const isEmpty = (value: unknown): boolean => value === null || value === undefined;

/** The fields that differ between two states of a record; one that did not exist has none. */
export const changesBetween = (before: Fields | undefined, after: Fields | undefined): Changes => {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const [from, to] = [fieldOf(before, name), fieldOf(after, name)];
      return isDeepStrictEqual(from, to) ? [] : [[name, { from, to }]];
    }),
  );
};

/** Longer texts are compressed: states before and after are alike, and an index entry and a write unit cost the same. */
const maxPlainCharacters = 400;
/** More takes longer and makes the text little shorter. */
const quality = 5;

/** As text that is stored: one value of what was created or deleted, two of what was updated. */
export const packChanges = (action: AuditAction, changes: Changes): string => {
  const values = Object.entries(changes).map(([name, { from, to }]) => [
    name,
    action === 'UPDATED' ? [from, to] : isEmpty(to) ? from : to,
  ]);
  const text = JSON.stringify(Object.fromEntries(values));
  if (text.length <= maxPlainCharacters) return text;
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).toString('base64');
};

export const unpackChanges = (action: AuditAction, packed: string): Changes => {
  const text = packed.startsWith('{') ? packed : brotliDecompressSync(Buffer.from(packed, 'base64')).toString();
  const values: Record<string, unknown> = JSON.parse(text);
  const changeOf = (value: unknown) => {
    if (action === 'CREATED') return { from: null, to: value };
    if (action === 'DELETED') return { from: value, to: null };
    const [from, to] = value as [unknown, unknown];
    return { from, to };
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changeOf(value)]));
};
