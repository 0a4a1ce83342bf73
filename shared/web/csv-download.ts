import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import { ApiError } from '../contract/errors.ts';
import type { Page, PageRequest } from '../platform/table/page.ts';
import type { Download } from './responses.ts';

export interface CsvColumn<Item> {
  heading: string;
  value: (item: Item) => string | number | null;
}

/** Reading more would take longer than a request may. */
const maxRows = 20_000;
const rowsInOneRead = 500;

// A cell that a spreadsheet would run as a formula becomes text. docs/behavior.md#payouts-as-csv
const csvOf = (rows: readonly (readonly (string | number | null)[])[]): string =>
  stringify([...rows], { escape_formulas: true, record_delimiter: 'windows' });

/** Every page of a list, one in memory at a time. */
export async function* everyPage<Item>(
  request: Omit<PageRequest, 'limit' | 'after'>,
  read: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let after: string | undefined;
  do {
    const page = await read({ ...request, limit: rowsInOneRead, after });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

async function* linesOf<Item>(columns: readonly CsvColumn<Item>[], pages: AsyncIterable<readonly Item[]>) {
  yield csvOf([columns.map(({ heading }) => heading)]);
  let rows = 0;
  for await (const items of pages) {
    rows += items.length;
    if (rows > maxRows)
      throw new ApiError(
        'bad_request',
        `This list has more than ${maxRows.toLocaleString('en')} rows, which is the maximum of a file. Choose a shorter period with “From” and “To”.`,
      );
    yield csvOf(items.map((item) => columns.map(({ value }) => value(item))));
  }
}

/** A list as a CSV file: compressed page by page, so that memory holds one page and the compressed rest. */
export const csvDownload = async <Item>(
  name: string,
  columns: readonly CsvColumn<Item>[],
  pages: AsyncIterable<readonly Item[]>,
): Promise<Download> => {
  const gzip = createGzip();
  const [compressed] = await Promise.all([buffer(gzip), pipeline(Readable.from(linesOf(columns, pages)), gzip)]);
  return { kind: 'download', type: 'text/csv; charset=utf-8', fileName: `${name}.csv`, compressed };
};
