import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ApiError } from '../../contract/errors.ts';
import { withDownloadSlot } from '../../domain/programs/download-slots.ts';
import { csvLines } from '../../platform/text/csv.ts';
import type { Download, View } from '../responses.ts';
import {
  type DownloadPart,
  downloadParts,
  findParts,
  maxRowsOfPart,
  type PartedList,
  pagesOfPart,
} from './download-parts.ts';
import { downloadPartsView } from './download-parts-view.tsx';

export interface CsvColumn<Item> {
  heading: string;
  value: (item: Item) => string | number | null;
}

export interface CsvList<Row> extends PartedList<Row> {
  name: string;
  columns: readonly CsvColumn<Row>[];
  /** Leaves out rows that are of no use in this file. */
  only?: (pages: AsyncIterable<readonly Row[]>) => AsyncIterable<readonly Row[]>;
}

interface Asked {
  session: { email: string };
  program: { id: string };
  query: Readonly<Record<string, unknown>> & { cursor?: string | undefined };
  address: string;
  now: Date;
}

/** More would be rows that were added after the parts were found. */
const maxRows = 2 * maxRowsOfPart;

async function* linesOf<Row>({ columns }: CsvList<Row>, pages: AsyncIterable<readonly Row[]>) {
  yield csvLines([columns.map(({ heading }) => heading)]);
  let rows = 0;
  for await (const items of pages) {
    rows += items.length;
    if (rows > maxRows)
      throw new ApiError('conflict', 'Many rows were added to this list in the meantime. Download it again.');
    yield csvLines(items.map((item) => columns.map(({ value }) => value(item))));
  }
}

/** A CSV file, compressed line by line, so that memory holds a few lines and the compressed rest. */
export const csvFile = async (name: string, lines: Iterable<string> | AsyncIterable<string>): Promise<Download> => {
  const gzip = createGzip();
  const [compressed] = await Promise.all([buffer(gzip), pipeline(Readable.from(lines), gzip)]);
  return { kind: 'download', type: 'text/csv; charset=utf-8', fileName: `${name}.csv`, compressed };
};

const fileOf = <Row>(list: CsvList<Row>, part: DownloadPart, name: string): Promise<Download> => {
  const pages = pagesOfPart(list, part);
  return csvFile(name, linesOf(list, list.only ? list.only(pages) : pages));
};

/** A list as one file, or a page with a button for each part of a long one. docs/behavior.md#csv */
export const csvDownload = <Row>(
  { session, program, query, address, now }: Asked,
  list: CsvList<Row>,
): Promise<Download | View> =>
  withDownloadSlot(session.email, now, async () => {
    const { pathname } = new URL(address, 'https://page');
    const parts = downloadParts(program.id, pathname, query);
    const asked = parts.asked();
    if (asked && 'number' in asked) return fileOf(list, asked, `${list.name}-part-${asked.number}`);
    const found = await findParts(list, asked);
    const [only] = found.parts;
    const isOne = !asked && found.parts.length <= 1 && !found.rest;
    if (isOne) return fileOf(list, only ?? { number: 1, rows: 0 }, list.name);
    return downloadPartsView(list.name, pathname.replace(/(\/payouts)?\.csv$/, ''), {
      parts: found.parts.map((part) => ({ ...part, address: parts.addressOf(part) })),
      rest: found.rest && parts.addressOf(found.rest),
    });
  });
