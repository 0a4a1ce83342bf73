import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** A file that cannot be read, or not any further. `row` counts as a spreadsheet does: the header is 1, the file as a whole too. */
export class ImportFileError extends Error {
  override name = 'ImportFileError';
  readonly row: number;
  readonly column: string | null;

  constructor(row: number, column: string | null, message: string) {
    super(message);
    this.row = row;
    this.column = column;
  }
}

const maxFileBytes = 50 * 1024 * 1024;
export const maxRows = 50_000;
const maxColumns = 200;
const maxRowBytes = 64 * 1024;
const pieceBytes = 64 * 1024;

const formats: readonly [signature: string, message: string][] = [
  ['\xd0\xcf\x11\xe0', 'This is an Excel workbook. Save it as CSV.'],
  ['\x1f\x8b', 'This is a gzip file. Unpack it and import the CSV file.'],
  ['%PDF-', 'This is a PDF document. Export the data as CSV.'],
  ['{\\rtf', 'This is an RTF document. Save it as CSV.'],
];

const zipSignatures = ['PK\x03\x04', 'PK\x05\x06'];

const zipMessage = (start: string): string => {
  if (/\[Content_Types\]\.xml|xl\//.test(start)) return 'This is an Excel workbook. Save it as CSV.';
  if (start.includes('opendocument.spreadsheet')) return 'This is an OpenDocument spreadsheet. Save it as CSV.';
  return 'This is a ZIP archive. Unpack it and import the CSV file in it.';
};

const refuseOtherFormats = (start: string): void => {
  const message = zipSignatures.some((signature) => start.startsWith(signature))
    ? zipMessage(start)
    : /^\s*<(!doctype|html|\?xml)/i.test(start)
      ? 'This is a web page or an XML document. Export the data as CSV.'
      : formats.find(([signature]) => start.startsWith(signature))?.[1];
  if (message) throw new ImportFileError(1, null, message);
};

async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > maxFileBytes)
      throw new ImportFileError(1, null, 'The file is larger than 50 MB. Split it into several files.');
    const whole = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let at = 0; at < whole.length; at += pieceBytes) yield whole.subarray(at, at + pieceBytes);
  }
}

const encodingOf = (start: Buffer): 'utf-16le' | 'utf-16be' | undefined => {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
};

/** As UTF-8, beginning with a piece that is long enough to recognize the file by. */
async function* asUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  const begin = (first: Buffer): Buffer => {
    refuseOtherFormats(first.toString('latin1'));
    const encoding = encodingOf(first);
    decoder = encoding && new TextDecoder(encoding);
    return decoded(first);
  };
  const decoded = (piece: Buffer): Buffer => (decoder ? Buffer.from(decoder.decode(piece, { stream: true })) : piece);
  for await (const piece of inPieces(bytes)) {
    if (!start) yield decoded(piece);
    else {
      start = Buffer.concat([start, piece]);
      if (start.length < pieceBytes) continue;
      yield begin(start);
      start = undefined;
    }
  }
  if (start) yield begin(start);
  if (decoder) yield Buffer.from(decoder.decode());
}

const separatorOf = (start: string): string => {
  const line = /[^\r\n]*\S[^\r\n]*/.exec(start.replaceAll(/"[^"]*"/g, '"'))?.[0] ?? '';
  const count = (separator: string): number => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
};

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

const messageOf = (error: CsvError): string => {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'A quote (") opens in this row and never closes. Close it, or double it if it is part of the text.';
    case 'CSV_MAX_RECORD_SIZE':
      return 'The row is larger than 64 KB. Shorten it, and check that every quote (") in it closes.';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'A quoted cell goes on behind its closing quote ("). Double every quote that is part of the text.';
    default:
      return 'A quote (") stands in a cell that does not begin with one. Put the cell into quotes, and double those in it.';
  }
};

const isDamaged = (cell: string): boolean => cell.includes('\0') || cell.includes('\uFFFD');

const refuseDamage = (row: number, cells: readonly string[], header: readonly string[]): void => {
  const at = cells.findIndex(isDamaged);
  if (at < 0) return;
  const problem = cells[at]?.includes('\0') ? 'has a NUL character' : 'has bytes that are not UTF-8';
  throw new ImportFileError(row, header[at] || null, `The cell ${problem}. Save the file as CSV in UTF-8.`);
};

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

export interface CellRow {
  readonly row: number;
  readonly cells: string[];
}

const checkHeader = (row: number, cells: readonly string[]): void => {
  if (cells.length <= maxColumns) return;
  const name = cells[maxColumns] || null;
  throw new ImportFileError(row, name, `The file has ${cells.length} columns. At most 200 are allowed: remove some.`);
};

/**
 * The rows of a CSV file that are not blank, the header first, trimmed of nothing. Holds a few rows at a time, whatever the source
 * gives at once. Throws an ImportFileError for what is no CSV file in UTF-8 or UTF-16, and at what exceeds a limit.
 */
export async function* readCells(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CellRow> {
  const pieces = asUtf8(bytes);
  const first = await pieces.next();
  const start: Buffer = first.done ? Buffer.alloc(0) : first.value;
  let header: string[] | undefined;
  const parser = parse({
    bom: true,
    delimiter: separatorOf(start.toString()),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
    on_record: (cells: string[]) => {
      header ??= isBlank(cells) ? undefined : cells.map((cell) => cell.trim());
      return cells;
    },
  });
  pipeline(Readable.from(startingWith(start, pieces), { highWaterMark: 1 }), parser, () => {
    // The loop below throws the error.
  });
  let row = 0;
  let rows = -1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row++;
      if (isBlank(cells)) continue;
      rows++;
      if (rows === 0) checkHeader(row, cells);
      refuseDamage(row, cells, header ?? []);
      if (rows > maxRows)
        throw new ImportFileError(row, null, 'The file has more than 50,000 rows. Split it into several files.');
      yield { row, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (header) refuseDamage(1, header, header);
    const at: unknown = error.column;
    throw new ImportFileError(Number(error.records) + 1, header?.[Number(at)] || null, messageOf(error));
  }
  if (rows < 0)
    throw new ImportFileError(1, null, 'The file is empty. Its first row must have the names of the columns.');
}
