import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ImportKind, importKinds } from '../../../../shared/contract/imports.ts';
import { columnNamed, columnsOf } from '../../../../shared/domain/imports/rows/columns.ts';
import { templateOf } from '../../../../shared/domain/imports/rows/mapping.ts';
import { csvLines } from '../../../../shared/platform/text/csv.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { isRefused, readAll } from './reading.ts';

/** Text as it is kept: without control characters and what a program cannot keep, trimmed. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((value) => value.replaceAll(/[\p{Cc}\uFFFD]/gu, '').trim())
  .filter((value) => value !== '' && value.isWellFormed());
/** An apostrophe before a sign of a formula is one of an export. */
const unescaped = text.filter((value) => !/(^|;)'[=+\-@＝＋－＠]/u.test(value));
const amount = fc.integer({ min: 1, max: 1e9 }).map((cents) => cents / 100);
const email = fc.integer({ min: 0, max: 1e6 }).map((at) => `customer${at}@example.com`);
const time = fc.date({ min: new Date('2001-01-01'), max: new Date('2025-01-01'), noInvalidDate: true });

const sale = fc.record({
  totalEarned: amount,
  email,
  name: unescaped,
  externalId: unescaped,
  firstOrder: fc.boolean(),
  commissionRate: fc.integer({ min: 0, max: 10_000 }).map((rate) => rate / 100),
  product: fc.record({
    productId: unescaped,
    name: unescaped,
    quantity: fc.integer({ min: 1, max: 1000 }),
    price: amount,
  }),
  metadata: fc.record({ note: unescaped }),
  createdAt: time,
});

const headers = [
  'totalEarned',
  'email',
  'name',
  'externalId',
  'firstOrder',
  'commissionRate',
  'product.productId',
  'product.name',
  'product.quantity',
  'product.price',
  'metadata.note',
  'createdAt',
];

const cellsOf = (row: typeof sale extends fc.Arbitrary<infer Row> ? Row : never): string[] =>
  headers.map((header) => {
    const value = header.split('.').reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), row);
    return value instanceof Date ? value.toISOString() : String(value);
  });

const writers: Record<string, (rows: string[][]) => string | Buffer> = {
  'csv-stringify': (rows) => stringify(rows),
  'csv-stringify with semicolons': (rows) =>
    stringify(rows, { delimiter: ';', record_delimiter: 'windows', bom: true }),
  'csv-stringify with tabs': (rows) => stringify(rows, { delimiter: '\t', record_delimiter: 'mac', quoted: true }),
  'a spreadsheet in UTF-16': (rows) => Buffer.from(`\uFEFF${stringify(rows, { delimiter: '\t' })}`, 'utf16le'),
  'the exports of the dashboard': csvLines,
};

it.each(Object.entries(writers))('rows written by %s are read back equal', async (_, write) => {
  await fc.assert(
    fc.asyncProperty(fc.array(sale, { minLength: 1, maxLength: 5 }), async (rows) => {
      const read = await readAll('sales', write([headers, ...rows.map(cellsOf)]));
      expect(read).toEqual(
        rows.map(({ createdAt, ...body }, at) => ({
          row: at + 2,
          body,
          createdAt,
          extra: {},
          given: new Set(Object.keys(body)),
        })),
      );
    }),
    { numRuns: 40 },
  );
});

it('no file makes the reader fail in a way that it does not explain', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ',',
      ';',
      '\t',
      '"',
      '\n',
      '\r\n',
      '\r',
      "'",
      '=',
      '\0',
      '\uFEFF',
      '-',
      '.',
      '0',
      '__proto__',
      'email',
    ),
    fc.string({ unit: anyCharacter, maxLength: 5 }),
  );
  const kinds = fc.constantFrom<ImportKind>(...importKinds);
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.array(piece, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (kind, pieces, chunkBytes) => {
        const columns = columnsOf(kind).filter(({ type }) => type !== 'metadata');
        const content = `${columns.map(({ name }) => name).join(',')}\n${pieces.join('')}`;
        const read = await readAll(kind, content, { chunkBytes }).catch((error: Error) => error.name);
        const outcomes =
          typeof read === 'string' ? [read] : read.map((row) => (isRefused(row) ? row.problems.length > 0 : true));
        expect(outcomes.every((outcome) => outcome === true || outcome === 'ImportFileError')).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

it.each(importKinds)('the template of %s has a column for every cell, and its row is accepted', async (kind) => {
  const rows = await readAll(kind, templateOf(kind));
  expect(rows).toEqual([expect.objectContaining({ row: 2, createdAt: new Date('2024-01-31T12:00:00Z') })]);
  const named = templateOf(kind).split('\r\n')[0]?.replaceAll('"', '').split(',') ?? [];
  expect(named.every((name) => columnNamed(kind, name) !== undefined)).toBe(true);
});
