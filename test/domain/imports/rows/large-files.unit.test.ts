import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ImportFileError } from '../../../../shared/domain/imports/rows/cells.ts';
import { headOf } from '../../../../shared/domain/imports/rows/mapping.ts';
import { readRows } from '../../../../shared/domain/imports/rows/read-rows.ts';
import { now } from './reading.ts';

const megabyte = 1024 * 1024;
const columns = ['totalEarned', 'email', 'externalId', 'affiliateEmail', 'createdAt', 'paidAt', 'product.productId'];
const options = {
  kind: 'sales' as const,
  mapping: Object.fromEntries(columns.map((column) => [column, column])),
  currency: 'USD',
  timeZone: 'America/New_York',
  now,
};
const header = `${columns.join(',')}\n`;
const line = (at: number): string =>
  `"1,2${at % 90 > 9 ? at % 90 : 10}.50",c${at}@example.com,order-${at},a${at % 500}@example.com,2024-03-1${at % 9} 10:11:12,2024-10-11,p\n`;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
/** Of the heap and of buffers, without what is not collected yet. */
const liveBytes = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const written = { chunks: 0, closed: false };
/** Makes chunks as they are asked for, and counts them. */
async function* chunksOf(make: (at: number) => string | undefined) {
  Object.assign(written, { chunks: 0, closed: false });
  try {
    for (let text = make(0); text !== undefined; text = make(++written.chunks)) yield Buffer.from(text);
  } finally {
    written.closed = true;
  }
}

const linesPerChunk = 500;
const fileOfRows = (count: number) =>
  chunksOf((at) => {
    const first = at * linesPerChunk;
    if (first >= count) return undefined;
    const length = Math.min(linesPerChunk, count - first);
    return (at === 0 ? header : '') + Array.from({ length }, (_, inChunk) => line(first + inChunk)).join('');
  });

const refusalOf = async (bytes: AsyncIterable<Uint8Array>, fromRow = 0) => {
  let rows = 0;
  try {
    for await (const row of readRows(bytes, { ...options, fromRow })) rows += 'body' in row ? 1 : 0;
  } catch (error) {
    if (error instanceof ImportFileError) return { rows, row: error.row, message: error.message };
    throw error;
  }
  return { rows };
};

it('50,000 sales are read in seconds, and in memory that stays flat', async () => {
  const live: number[] = [];
  let rows = 0;
  const { user } = process.cpuUsage();
  for await (const row of readRows(fileOfRows(50_000), options)) {
    if ('body' in row) rows++;
    if (rows % 10_000 === 0) live.push(liveBytes());
  }
  const seconds = (process.cpuUsage().user - user) / 1e6;
  expect(rows).toBe(50_000);
  expect(live).toHaveLength(5);
  // 40,000 rows are 30 MB as objects, and 5 MB as text.
  expect(Math.max(...live) - (live[0] ?? 0)).toBeLessThan(3 * megabyte);
  // About 2 on a machine with nothing else to do; tests run with little optimization.
  expect(seconds).toBeLessThan(20);
});

it('a file of 50,001 rows is refused at the row that is too many', async () => {
  expect(await refusalOf(fileOfRows(50_001), 50_001)).toEqual({
    rows: 1,
    row: 50_002,
    message: 'The file has more than 50,000 rows. Split it into several files.',
  });
});

it('a line of 100 MB is refused after its first 64 KB, and the rest is never made', async () => {
  const refusal = await refusalOf(
    chunksOf((at) => (at < 1600 ? (at === 0 ? header : '') + 'x'.repeat(65_536) : undefined)),
  );
  expect(refusal).toMatchObject({ rows: 0, row: 2, message: expect.stringContaining('larger than 64 KB') });
  expect(written).toMatchObject({ closed: true });
  expect(written.chunks).toBeLessThan(20);
});

it('a file of more than 50 MB is refused, however few rows it has', async () => {
  const blank = (megabytes: number) => `"${' '.repeat(65_000)}"\n`.repeat(16 * megabytes);
  const pieces = [header, blank(2), blank(49), blank(1)];
  expect(await refusalOf(chunksOf((at) => pieces[at]))).toEqual({
    rows: 0,
    row: 1,
    message: 'The file is larger than 50 MB. Split it into several files.',
  });
  // Only the first 2 MB of it were parsed: together with the next piece it is larger.
  expect(written.chunks).toBe(2);
});

it('a file that comes as one chunk is read in pieces', async () => {
  const all = header + Array.from({ length: 20_000 }, (_, at) => line(at)).join('');
  const before = liveBytes();
  for await (const row of readRows(
    chunksOf((at) => (at === 0 ? all : undefined)),
    options,
  )) {
    expect(row.row).toBe(2);
    break;
  }
  expect(liveBytes() - before).toBeLessThan(3 * megabyte);
});

it('the head of a file is its headers and ten rows, and the rest is not read', async () => {
  const { headers, rows } = await headOf(fileOfRows(50_000));
  expect([headers, rows.length, rows[9]?.[2]]).toEqual([columns, 10, 'order-9']);
  expect(written).toMatchObject({ closed: true });
  expect(written.chunks).toBeLessThan(20);
});
