import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { importKinds } from '../../../shared/contract/imports.ts';
import { csvFiles, headerOf, maxMetadataColumns } from '../../../shared/domain/exports/csv-files.ts';
import { unusedColumns } from '../../../shared/domain/exports/csv-rows.ts';
import type { Source } from '../../../shared/domain/exports/exported-kinds.ts';
import { columnsOf } from '../../../shared/domain/imports/rows/columns.ts';
import { makeStoredAffiliate } from '../../support/stored-records.ts';

/** A source whose first list has so many affiliates, and whose others are empty. */
const sourceOf = (count: number): Source => {
  let lists = 0;
  return {
    program: { id: 'program', currency: 'USD' } as Source['program'],
    now: new Date(),
    pages: async function* <Item>() {
      lists += 1;
      for (let at = 0; lists === 1 && at < count; at += 100)
        yield Array.from({ length: Math.min(100, count - at) }, (_, n) =>
          makeStoredAffiliate({ email: `a${at + n}@example.com` }),
        ) as Item[];
    },
  };
};

const filesOf = async (count: number): Promise<Map<string, string>> => {
  const files = new Map<string, string>();
  for await (const { name, content } of csvFiles(sourceOf(count), () => []))
    files.set(name, (await Array.fromAsync(content)).join(''));
  return files;
};

it('a file has as many rows as an import takes, and the next one goes on with a header of its own', async () => {
  const files = await filesOf(50_001);
  expect([...files.keys()].slice(0, 3)).toEqual(['affiliates.csv', 'affiliates-2.csv', 'links.csv']);
  const [first, second] = ['affiliates.csv', 'affiliates-2.csv'].map((name) =>
    parse<{ email: string }>(files.get(name) ?? '', { columns: true }).map(({ email }) => email),
  );
  expect(first).toHaveLength(50_000);
  expect(second).toEqual(['a50000@example.com']);
});

it('exactly as many rows as an import takes are one file', async () => {
  expect([...(await filesOf(50_000)).keys()]).toEqual(importKinds.map((kind) => `${kind}.csv`));
});

it('no file has more columns than an import takes', () => {
  const keys = Array.from({ length: maxMetadataColumns }, (_, at) => `key${at}`);
  for (const kind of importKinds) expect(headerOf(kind, keys).length).toBeLessThanOrEqual(200);
});

it('a column that is left out is one that the import knows', () => {
  for (const kind of importKinds) {
    const known = columnsOf(kind).map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining([...unusedColumns[kind]]));
  }
});
