import type { ErrorDetail } from '../../../contract/errors.ts';
import type { ImportKind, ImportPreset } from '../../../contract/imports.ts';
import { validationError } from '../../../contract/validation-error.ts';
import { unescapedCell } from '../../../platform/text/csv.ts';
import { ImportFileError, readCells } from './cells.ts';
import {
  type Column,
  columnNamed,
  createOperations,
  extraSchemas,
  type ImportedBody,
  type ImportedExtra,
  mergedColumns,
  missingColumns,
} from './columns.ts';
import { presets } from './presets/presets.ts';
import { Refused } from './refused.ts';
import { applyRowRules, type RowFields, standInFor } from './row-rules.ts';
import { converterOf, type ValueSettings } from './values.ts';

export type Mapping = Readonly<Record<string, string | null>>;

/** `column` is a column of the kind, not the header of the file; null where the row as a whole is wrong. */
export interface RowProblem {
  readonly row: number;
  readonly column: string | null;
  readonly message: string;
}

export interface AcceptedRow<Kind extends ImportKind> {
  readonly row: number;
  readonly body: ImportedBody<Kind>;
  readonly createdAt?: Date;
  readonly extra: ImportedExtra<Kind>;
  /** The fields of `body` that the file gives; the others have their defaults. */
  readonly given: ReadonlySet<string>;
}

export interface RefusedRow {
  readonly row: number;
  readonly problems: readonly RowProblem[];
}

export type ReadRow<Kind extends ImportKind> = AcceptedRow<Kind> | RefusedRow;

export interface ReadOptions<Kind extends ImportKind> {
  readonly kind: Kind;
  readonly mapping: Mapping;
  readonly preset?: ImportPreset | undefined;
  readonly currency: string;
  /** The program's time zone, of times that name none. */
  readonly timeZone: string;
  readonly now: Date;
  /** Rows before it are read, but neither validated nor returned: to continue where an earlier run ended. */
  readonly fromRow?: number | undefined;
}

interface MappedColumn {
  readonly column: Column;
  readonly index: number;
  readonly convert: ReturnType<typeof converterOf>;
  readonly currencyIndex: number;
}

const textOf = (cell: string | undefined): string => unescapedCell((cell ?? '').trim());

const mappedColumnsOf = (
  kind: ImportKind,
  row: number,
  headers: readonly string[],
  mapping: Mapping,
  settings: ValueSettings,
): MappedColumn[] => {
  const taken = new Map<string, string>();
  const found = Object.entries(mapping).flatMap(([header, name]) => {
    if (name === null) return [];
    const refuse = (message: string) => new ImportFileError(row, header, message);
    const column = columnNamed(kind, name);
    const index = headers.indexOf(header);
    if (!column) throw refuse(`"${name}" is not a column of ${kind}. Choose another one.`);
    if (index < 0) throw refuse(`The file has no column "${header}". Check the mapping.`);
    if (headers.indexOf(header, index + 1) >= 0)
      throw refuse(`The file has two columns "${header}". Rename or remove one of them.`);
    const other = taken.get(name);
    if (other !== undefined) throw refuse(`"${other}" and "${header}" are both mapped to ${name}. Choose one of them.`);
    taken.set(name, header);
    return [{ column, index, convert: converterOf(column, settings) }];
  });
  const [missing] = missingColumns(kind, new Set(taken.keys()));
  if (missing !== undefined) {
    const message = `No column of the file is mapped to ${missing}, which every row needs.`;
    throw new ImportFileError(row, missing, message);
  }
  return found.map((mapped) => ({
    ...mapped,
    currencyIndex: found.find(({ column }) => column.name === mapped.column.currencyColumn)?.index ?? -1,
  }));
};

const put = (target: Record<string, unknown>, path: readonly string[], value: unknown): void => {
  const [first = '', second] = path;
  if (second === undefined) target[first] = value;
  else {
    target[first] ??= {};
    (target[first] as Record<string, unknown>)[second] = value;
  }
};

const wrongLength = (cells: readonly string[], headers: readonly string[]): string | undefined => {
  const isTooLong = cells.length > headers.length && cells.slice(headers.length).some((cell) => cell.trim() !== '');
  if (cells.length >= headers.length && !isTooLong) return undefined;
  return `The row has another number of cells (${cells.length}) than the header (${headers.length}). Check its separators and quotes.`;
};

const columnOf = ({ path }: ErrorDetail): string => path.replace(/\.\d+$/, '');

const acceptedRow = <Kind extends ImportKind>(
  row: number,
  { body: given }: RowFields,
  parsed: { body: object; extra: object },
  standIn: string | undefined,
): AcceptedRow<Kind> => {
  const body: Record<string, unknown> = { ...parsed.body };
  if (standIn !== undefined) delete body[standIn];
  const { createdAt, ...extra }: Record<string, unknown> = { ...parsed.extra };
  for (const name of mergedColumns) delete extra[name];
  return {
    row,
    body: body as ImportedBody<Kind>,
    ...(createdAt instanceof Date && { createdAt }),
    extra: extra as ImportedExtra<Kind>,
    given: new Set(Object.keys(given).filter((field) => field !== standIn)),
  };
};

const makeRowReader = <Kind extends ImportKind>(options: ReadOptions<Kind>, headerRow: number, header: string[]) => {
  const { kind, mapping } = options;
  const headers = header.map((cell) => cell.trim());
  const wholeAmountsAreMinor = options.preset && presets[options.preset].wholeAmountsAreMinor;
  const columns = mappedColumnsOf(kind, headerRow, headers, mapping, { ...options, wholeAmountsAreMinor });
  const rules = { currency: options.currency, hasPaidAt: columns.some(({ column }) => column.name === 'paidAt') };
  const bodySchema = createOperations[kind].body;
  const extraSchema = extraSchemas[kind];

  const cellValue = (cells: readonly string[], { index, convert, currencyIndex }: MappedColumn): unknown => {
    const cell = textOf(cells[index]);
    if (cell === '') return undefined;
    return convert(cell, currencyIndex < 0 ? undefined : textOf(cells[currencyIndex]));
  };

  const convert = (cells: readonly string[], complain: (column: string, predicate: string) => void) => {
    const fields = { body: {} as Record<string, unknown>, extra: {} as Record<string, unknown> };
    for (const mapped of columns) {
      const { column } = mapped;
      const value = cellValue(cells, mapped);
      if (value instanceof Refused) complain(column.name, value.predicate);
      else if (value !== undefined) put(fields[column.place], column.path, value);
    }
    return fields;
  };

  const read = (row: number, cells: readonly string[]): ReadRow<Kind> => {
    const problems: RowProblem[] = [];
    const add = (column: string, message: string): void => {
      if (!problems.some((problem) => problem.column === column)) problems.push({ row, column, message });
    };
    const complain = (column: string, predicate: string): void =>
      add(column, predicate.startsWith(',') ? `${column}${predicate}` : `${column} ${predicate}`);
    const length = wrongLength(cells, headers);
    if (length) return { row, problems: [{ row, column: null, message: length }] };
    const fields = convert(cells, complain);
    applyRowRules(kind, fields, complain, rules);
    const standIn = standInFor(kind, fields);
    if (standIn) fields.body[standIn.field] = standIn.value;
    const body = bodySchema.safeParse(fields.body);
    const extra = extraSchema.safeParse(fields.extra);
    for (const [result, input] of [[body, fields.body] as const, [extra, fields.extra] as const])
      for (const detail of result.error ? (validationError(result.error, input, 'field').details ?? []) : [])
        add(columnOf(detail), detail.message);
    if (problems.length > 0 || !body.success || !extra.success) return { row, problems };
    return acceptedRow(row, fields, { body: body.data, extra: extra.data }, standIn?.field);
  };

  /** Amounts say in which unit those of later rows are. */
  const amounts = columns.filter(({ column }) => column.type === 'amount');
  const skip = (cells: readonly string[]): void => {
    for (const mapped of amounts) cellValue(cells, mapped);
  };
  return { read, skip };
};

/**
 * The rows of a CSV file as bodies of the kind's create operation, with what they hold beside it, one at a time; a refused row has
 * all its problems instead. Throws an ImportFileError where the file or the mapping cannot be read. docs/behavior.md#import-files
 */
export async function* readRows<Kind extends ImportKind>(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions<Kind>,
): AsyncGenerator<ReadRow<Kind>> {
  let reader: ReturnType<typeof makeRowReader<Kind>> | undefined;
  for await (const { row, cells } of readCells(bytes)) {
    if (!reader) reader = makeRowReader(options, row, cells);
    else if (row < (options.fromRow ?? 0)) reader.skip(cells);
    else yield reader.read(row, cells);
  }
}
