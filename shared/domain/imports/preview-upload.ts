import type { Readable } from 'node:stream';
import { ApiError } from '../../contract/errors.ts';
import { fileState, openFile } from '../../platform/objects/files.ts';
import type { StoredImport } from './import-record.ts';
import type { ImportContext } from './import-row.ts';
import { ImportFileError } from './rows/cells.ts';
import { guessMapping, headOf } from './rows/mapping.ts';
import type { Mapping } from './rows/read-rows.ts';
import { type FileRow, rowsOfFile } from './rows-of-file.ts';

const rowsShown = 10;

/** An uploaded file as it will be imported, as far as its first ten rows tell. */
export interface UploadPreview {
  etag: string;
  headers: string[];
  mapping: Mapping;
  missing: string[];
  rows: FileRow[];
}

const fileOf = (programId: string, { id }: StoredImport) => ({ kind: 'import-files', programId, id }) as const;

const withContent = async <Result>(
  programId: string,
  record: StoredImport,
  etag: string,
  read: (content: Readable) => Promise<Result>,
): Promise<Result | undefined> => {
  const file = await openFile(fileOf(programId, record), etag);
  if (!file) return undefined;
  try {
    return await read(file.content);
  } finally {
    file.content.destroy();
  }
};

const firstRows = async (content: Readable, record: StoredImport, context: Pick<ImportContext, 'program' | 'now'>) => {
  const rows: FileRow[] = [];
  for await (const row of rowsOfFile(content, record, context)) if (rows.push(row) === rowsShown) break;
  return rows;
};

/** Undefined until the file is uploaded, a message where it cannot be read. The columns are those of the last dry run, or a guess. */
export const previewUpload = async (
  { program, now }: Pick<ImportContext, 'program' | 'now'>,
  record: StoredImport,
): Promise<UploadPreview | string | undefined> => {
  const etag = (await fileState(fileOf(program.id, record)))?.etag;
  if (!etag) return undefined;
  try {
    const head = await withContent(program.id, record, etag, headOf);
    if (!head) return undefined;
    const guess = guessMapping(record.importKind, head.headers, record.preset ?? undefined);
    const { mapping, missing } = record.mapping === null ? guess : { mapping: record.mapping, missing: [] };
    const read = (content: Readable) => firstRows(content, { ...record, mapping }, { program, now });
    const rows = missing.length > 0 ? [] : await withContent(program.id, record, etag, read);
    return { etag, headers: head.headers, mapping, missing, rows: rows ?? [] };
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    return error.message;
  }
};

/** The chosen column of each header, by its place in the file. 400 if the file was uploaded again since. */
export const chosenMapping = async (
  programId: string,
  record: StoredImport,
  etag: string,
  columnAt: (place: number) => string | undefined,
): Promise<Mapping> => {
  const isSame = (await fileState(fileOf(programId, record)))?.etag === etag;
  const head = isSame ? await withContent(programId, record, etag, headOf) : undefined;
  if (!head) throw new ApiError('conflict', 'The file was uploaded again. Check its columns once more.');
  return Object.fromEntries(head.headers.map((header, at) => [header, columnAt(at) || null]));
};
