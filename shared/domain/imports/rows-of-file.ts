import type { Readable } from 'node:stream';
import type { ImportKind } from '../../contract/imports.ts';
import type { StoredImport } from './import-record.ts';
import type { ImportContext, ImportRow, RowResult } from './import-row.ts';
import { type AcceptedRow, readRows } from './rows/read-rows.ts';

const instant = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** What a file says beside the create operation's body lies beside its fields, times as texts. */
const rowOf = ({ row, body, extra, createdAt, given }: AcceptedRow<ImportKind>, now: Date): ImportRow => ({
  row,
  body: { ...body, ...Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, instant(value)])) },
  createdAt: createdAt ?? now,
  given,
});

export type FileRow = { row: number } & ({ accepted: ImportRow } | { refused: RowResult });

/** All rows of the file from the first on, read and validated. Throws an ImportFileError where it cannot be read. */
export async function* rowsOfFile(
  content: Readable,
  { importKind, mapping, preset }: StoredImport,
  { program, now }: Pick<ImportContext, 'program' | 'now'>,
): AsyncGenerator<FileRow> {
  const rows = readRows(content, {
    kind: importKind,
    mapping: mapping ?? {},
    preset: preset ?? undefined,
    currency: program.currency,
    timeZone: program.timeZone,
    now,
  });
  for await (const read of rows) {
    const { row } = read;
    if ('problems' in read) yield { row, refused: { row, outcome: 'refused', problems: read.problems } };
    else yield { row, accepted: rowOf(read, now) };
  }
}
