import * as z from 'zod';
import { decodeCursor, encodeCursor } from '../../http/cursor.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';

/** A few seconds of one function. */
export const maxRowsOfPart = 5000;
const rowsInOneRead = 500;
/** Filters that leave out much of a list make parts of fewer rows. */
const maxReadsOfPart = 20;
const maxParts = 4;

/** Where the parts of a list go on that are on no page so far. */
const Rest = z.strictObject({ after: z.string(), from: z.int() });
type Rest = z.infer<typeof Rest>;

/** From behind one row to another one, both of which may be gone by the time it is read. */
const DownloadPart = z.strictObject({
  number: z.int(),
  rows: z.int(),
  after: z.string().optional(),
  /** The last row, and a row before it, which tells the order of the list. Absent at the end of a list of one part. */
  until: z.strictObject({ first: z.string(), last: z.string() }).optional(),
});
export type DownloadPart = z.infer<typeof DownloadPart>;

/** The addresses of the parts of a list, with its filters. A part has what it covers in its cursor. */
export const downloadParts = (
  programId: string,
  path: string,
  { cursor, ...filters }: Readonly<Record<string, unknown>> & { cursor?: string | undefined },
) => {
  const scope = { programId, operationId: 'downloadPart', filters: { ...filters, path } };
  const chosen = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return {
    asked: (): DownloadPart | Rest | undefined =>
      cursor === undefined ? undefined : z.union([DownloadPart, Rest]).parse(JSON.parse(decodeCursor(scope, cursor))),
    addressOf: (part: DownloadPart | Rest): string =>
      `${path}?${new URLSearchParams([...chosen, ['cursor', encodeCursor(scope, JSON.stringify(part))]])}`,
  };
};

export interface PartedList<Row> {
  range?: Omit<PageRequest, 'limit' | 'after'>;
  /** Rows with all that the file shows. */
  read: (request: PageRequest) => Promise<Page<Row>>;
  /** The same rows with nothing that is read beside them, to see how many there are. */
  count: (request: PageRequest) => Promise<Page<unknown>>;
}
type Listed = Pick<PartedList<unknown>, 'count' | 'range'>;

const findPart = async (
  { count, range }: Listed,
  number: number,
  after: string | undefined,
): Promise<{ part: DownloadPart; next: string | undefined }> => {
  let [rows, next]: [number, string | undefined] = [0, after];
  let [first, last]: (string | undefined)[] = [];
  for (let reads = 0; reads < maxReadsOfPart && rows < maxRowsOfPart; reads++) {
    const page: Page<unknown> = await count({ ...range, limit: rowsInOneRead, after: next, isConsistent: false });
    first ??= page.entries[0]?.position;
    last = page.entries.at(-1)?.position ?? last;
    rows += page.entries.length;
    next = page.next;
    if (next === undefined) break;
  }
  const part = { number, rows, ...(after !== undefined && { after }) };
  return { part: first && last ? { ...part, until: { first, last } } : part, next };
};

/** Reads no more than what tells how many rows there are, and stops after some parts. */
export const findParts = async (
  list: Listed,
  asked: Rest | undefined,
): Promise<{ parts: DownloadPart[]; rest: Rest | undefined }> => {
  const parts: DownloadPart[] = [];
  let after = asked?.after;
  for (let found = 0; found < maxParts; found++) {
    const number = (asked?.from ?? 1) + parts.length;
    const { part, next } = await findPart(list, number, after);
    if (part.rows > 0) parts.push(part);
    if (next === undefined) return { parts, rest: undefined };
    after = next;
  }
  return { parts, rest: after === undefined ? undefined : { after, from: (asked?.from ?? 1) + parts.length } };
};

/** In the order of the database's keys. */
const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const isBehind = (position: string, { first, last }: NonNullable<DownloadPart['until']>): boolean =>
  position !== last && (first === last || Math.sign(compare(position, last)) === Math.sign(compare(last, first)));

/** The rows of a part, one page in memory at a time. */
export async function* pagesOfPart<Row>(
  { read, range }: Pick<PartedList<Row>, 'read' | 'range'>,
  { after: start, until }: DownloadPart,
): AsyncGenerator<readonly Row[]> {
  let after = start;
  do {
    const page: Page<Row> = await read({ ...range, limit: rowsInOneRead, after } satisfies PageRequest);
    const rows = page.entries.filter(({ position }) => !until || !isBehind(position, until));
    yield rows.map(({ item }) => item);
    if (rows.length < page.entries.length) return;
    after = page.next;
  } while (after !== undefined);
}
