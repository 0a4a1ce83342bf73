import type { ImportKind } from '../../../../shared/contract/imports.ts';
import { ImportFileError } from '../../../../shared/domain/imports/rows/cells.ts';
import { guessMapping, headOf } from '../../../../shared/domain/imports/rows/mapping.ts';
import {
  type AcceptedRow,
  type ReadOptions,
  type ReadRow,
  type RefusedRow,
  type RowProblem,
  readRows,
} from '../../../../shared/domain/imports/rows/read-rows.ts';

export const now = new Date('2025-06-15T12:00:00Z');

/** A file, in chunks of so many bytes. */
export async function* fileOf(content: string | Uint8Array, chunkBytes = Number.POSITIVE_INFINITY) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

export type Options<Kind extends ImportKind> = Partial<ReadOptions<Kind>> & { chunkBytes?: number };

/** All rows of a file of a program in USD and UTC, mapped as guessed. */
export const readAll = async <Kind extends ImportKind>(
  kind: Kind,
  content: string | Uint8Array,
  { chunkBytes, ...options }: Options<Kind> = {},
): Promise<ReadRow<Kind>[]> => {
  const { headers } = options.mapping ? { headers: [] } : await headOf(fileOf(content, chunkBytes));
  const { mapping } = guessMapping(kind, headers, options.preset);
  const all = { kind, mapping, currency: 'USD', timeZone: 'UTC', now, ...options };
  return Array.fromAsync(readRows(fileOf(content, chunkBytes), all));
};

export const isRefused = <Kind extends ImportKind>(row: AcceptedRow<Kind> | RefusedRow): row is RefusedRow =>
  'problems' in row;

interface Complaint extends RowProblem {
  /** Whether the file is refused, or the row alone. */
  readonly of: 'file' | 'row';
}

/** What is wrong with a file, in the order in which it is found. */
export const complaintsAbout = async <Kind extends ImportKind>(
  kind: Kind,
  content: string | Uint8Array,
  options: Options<Kind> = {},
): Promise<Complaint[]> => {
  try {
    const rows = await readAll(kind, content, options);
    return rows.flatMap((row) =>
      'problems' in row ? row.problems.map((problem) => ({ of: 'row' as const, ...problem })) : [],
    );
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    return [{ of: 'file', row: error.row, column: error.column, message: error.message }];
  }
};
