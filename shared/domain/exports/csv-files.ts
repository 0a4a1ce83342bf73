import { type ImportKind, importKinds } from '../../contract/imports.ts';
import type { ZipEntry } from '../../platform/objects/zip.ts';
import { csvLines } from '../../platform/text/csv.ts';
import { maxRows } from '../imports/rows/cells.ts';
import { columnsOf } from '../imports/rows/columns.ts';
import { csvRows, metadataColumn, type Row, unusedColumns } from './csv-rows.ts';
import type { Source } from './exported-kinds.ts';

/** Together with the columns of the kind, no more than an import accepts. Further keys are only in the JSON lines. */
export const maxMetadataColumns = 150;
/** Below the 50 MB that an import accepts, with room for a page of the largest records. */
const maxBytes = 40 * 1024 * 1024;
const rowsOfPage = 100;

/** The columns of a kind's file: those of the import in its order, with one for each key of metadata. */
export const headerOf = (kind: ImportKind, metadataKeys: Iterable<string>): string[] =>
  columnsOf(kind)
    .filter(({ name }) => !unusedColumns[kind].includes(name))
    .flatMap(({ name, type }) => (type === 'metadata' ? [...metadataKeys].map(metadataColumn) : [name]));

const linesOf = (header: readonly string[], rows: readonly Row[]): string =>
  csvLines(rows.map((row) => header.map((column) => (row[column] === undefined ? null : String(row[column] ?? '')))));

/** The CSV files of a kind, each small enough for an import. */
async function* filesOfKind(
  kind: ImportKind,
  source: Source,
  metadataKeys: Iterable<string>,
): AsyncGenerator<ZipEntry> {
  const header = headerOf(kind, metadataKeys);
  const pages = csvRows[kind](source);
  let next = await pages.next();
  for (let number = 1; number === 1 || !next.done; number++) {
    const content = async function* () {
      let [rows, bytes] = [0, 0];
      yield csvLines([header]);
      while (!next.done && rows + rowsOfPage <= maxRows && bytes < maxBytes) {
        const text = linesOf(header, next.value);
        rows += next.value.length;
        bytes += Buffer.byteLength(text);
        yield text;
        next = await pages.next();
      }
    };
    yield { name: `${kind}${number === 1 ? '' : `-${number}`}.csv`, content: content() };
  }
}

/**
 * The CSV files of an export, which an import reads in this order. docs/behavior.md#exports
 *
 * @param metadataKeysOf the keys that the metadata of a kind's records has
 */
export async function* csvFiles(
  source: Source,
  metadataKeysOf: (kind: ImportKind) => Iterable<string>,
): AsyncGenerator<ZipEntry> {
  for (const kind of importKinds) yield* filesOfKind(kind, source, metadataKeysOf(kind));
}
