import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Page, type PageRequest } from '../../shared/platform/table/page.ts';
import { renderDocument } from '../../shared/web/components/render.ts';
import { csvDownload } from '../../shared/web/lists/csv-download.ts';
import { now } from '../support/domain.ts';

beforeEach(() => {
  vi.stubEnv('CURSOR_KEY', 'key');
});

const positionOf = (number: number): string => String(number).padStart(8, '0');

/** A list in memory, whose rows are their numbers, and what is read of it. */
const makeList = (rows: number, { isNewestFirst = false, keep = (_: number): boolean => true } = {}) => {
  const asked = { email: `${randomUUID()}@example.com`, programId: randomUUID() };
  const numbers = Array.from({ length: rows }, (_, at) => at);
  const reads = { full: 0, counted: 0 };
  const page = ({ limit, after }: PageRequest): Page<number> => {
    const ordered = isNewestFirst ? numbers.toSorted((one, other) => other - one) : numbers;
    const last = Number(after);
    const isLater = (number: number) => after === undefined || (isNewestFirst ? number < last : number > last);
    const left = ordered.filter(isLater);
    const read = left.slice(0, limit);
    const entries = read.filter(keep).map((item) => ({ item, position: positionOf(item) }));
    return new Page(entries, left.length > limit ? positionOf(read.at(-1) ?? 0) : undefined);
  };
  const list = {
    name: 'sales',
    columns: [{ heading: 'Number', value: (number: number) => number }],
    read: async (request: PageRequest) => {
      const found = page(request);
      reads.full += found.entries.length;
      return found;
    },
    count: async (request: PageRequest) => {
      const found = page(request);
      reads.counted += found.entries.length;
      return found as Page<unknown>;
    },
  };
  const download = (address = '/programs/p/sales.csv', changes: Partial<typeof list> = {}) => {
    const query = Object.fromEntries(new URL(address, 'https://page').searchParams);
    const { email, programId } = asked;
    return csvDownload(
      { session: { email }, program: { id: programId }, query, address, now },
      { ...list, ...changes },
    );
  };
  const rowsOf = async (address?: string) => {
    const made = await download(address);
    if (made.kind !== 'download') throw new Error('not a file');
    const [heading, ...lines] = gunzipSync(made.compressed).toString().trimEnd().split('\r\n');
    expect(heading).toBe('"Number"');
    return { fileName: made.fileName, rows: lines.map((line) => Number(line.slice(1, -1))) };
  };
  const partsOf = async (address?: string) => {
    const made = await download(address);
    if (made.kind !== 'view') throw new Error('not a page');
    const text = renderDocument(made.content as never);
    const links = [...text.matchAll(/href="([^"]*cursor[^"]*)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    );
    return { text, links };
  };
  return { numbers, reads, download, rowsOf, partsOf };
};

describe('a list', () => {
  it.each([0, 1, 5000])('of %i rows is one file, in its order', async (rows) => {
    const { rowsOf, numbers } = makeList(rows);
    expect(await rowsOf()).toEqual({ fileName: 'sales.csv', rows: numbers });
  });

  it('of more rows is a page of parts, for which nothing is read in full', async () => {
    const { partsOf, reads } = makeList(5001);
    const { text, links } = await partsOf();
    expect(text).toContain('Part 1, 5,000 rows');
    expect(text).toContain('Part 2, 1 row');
    expect(links).toHaveLength(2);
    expect(reads).toEqual({ full: 0, counted: 5001 });
  });

  it.each([true, false])(
    'has every row once in its parts, also with rows that came and went (newest first: %s)',
    async (isNewestFirst) => {
      const { partsOf, rowsOf, numbers, reads } = makeList(12_000, { isNewestFirst });
      const { links } = await partsOf('/programs/p/sales.csv?status=PAID');
      expect(links).toHaveLength(3);
      // The last row of the first part is gone, and there is a new one at the end.
      numbers.splice(numbers.indexOf(isNewestFirst ? 7000 : 4999), 1);
      numbers.push(12_000);
      const files = [];
      for (const link of links) {
        reads.full = 0;
        files.push(await rowsOf(link));
        expect(reads.full).toBeLessThanOrEqual(5500);
      }
      expect(files.map(({ fileName }) => fileName)).toEqual([1, 2, 3].map((part) => `sales-part-${part}.csv`));
      const all = files.flatMap(({ rows }) => rows);
      const expected = numbers.filter((number) => isNewestFirst || number < 12_000);
      expect(all.toSorted((one, other) => one - other)).toEqual(expected);
    },
  );

  it('of very many rows shows four parts, and the others on further pages', async () => {
    const { partsOf, rowsOf } = makeList(22_000);
    const { links } = await partsOf();
    expect(links).toHaveLength(5);
    const { text, links: further } = await partsOf(links[4]);
    expect(text).toContain('Part 5, 2,000 rows');
    expect((await rowsOf(further[0])).rows.at(-1)).toBe(21_999);
  });

  it('of which a filter leaves little is read a bounded piece at a time', async () => {
    const { partsOf, rowsOf } = makeList(100_000, { keep: (number) => number === 3 || number === 90_000 });
    const { links } = await partsOf();
    expect(links).toHaveLength(2);
    expect((await rowsOf(links[0])).rows).toEqual([3]);
    const { links: further } = await partsOf(links[1]);
    const { links: last } = await partsOf(further.at(-1));
    expect((await rowsOf(last[0])).rows).toEqual([90_000]);
  });

  it('has parts of its own filters and program alone', async () => {
    const { partsOf, download } = makeList(5001);
    const { links } = await partsOf('/programs/p/sales.csv?status=PAID');
    const altered = links[0]?.replace('PAID', 'UNPAID');
    await expect(download(altered)).rejects.toThrow('cursor is not valid');
    await expect(makeList(5001).download(links[0])).rejects.toThrow('cursor is not valid');
  });
});

describe('downloads of an account', () => {
  it('are two at a time, and a third is refused until one is done', async () => {
    const { download, rowsOf } = makeList(3);
    const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begun: Promise<unknown>[] = [];
    for (const { promise } of waits) {
      const begins = Promise.withResolvers<void>();
      const count = async () => {
        begins.resolve();
        await promise;
        return new Page<unknown>([], undefined);
      };
      begun.push(download(undefined, { count }));
      await begins.promise;
    }
    await expect(download()).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    await expect(download()).rejects.toThrow('Two files are being made for your account already.');
    expect((await makeList(3).rowsOf()).rows).toHaveLength(3);
    waits[0]?.resolve();
    await begun[0];
    expect((await rowsOf()).rows).toHaveLength(3);
    waits[1]?.resolve();
    await begun[1];
  });

  it('that fail give their place back', async () => {
    const { download, rowsOf } = makeList(3);
    for (let times = 0; times < 3; times++) {
      const failing = download(undefined, { count: () => Promise.reject(new Error('broken')) });
      await expect(failing).rejects.toThrow('broken');
    }
    expect((await rowsOf()).rows).toHaveLength(3);
  });
});
