import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csvLines } from '../../shared/platform/text/csv.ts';

it.each([
  // Separators and quotes of every locale stay in their cell.
  ['plain', '"plain"'],
  ['a,b;c\td', '"a,b;c\td"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['', '""'],
  [null, '""'],
  // Numbers and amounts stay numbers.
  [0, '"0"'],
  [-3, '"-3"'],
  ['30.10', '"30.10"'],
  ['-30.10', '"-30.10"'],
  ['-30.10+cmd', '"\'-30.10+cmd"'],
  // What begins like a formula does so after an apostrophe.
  ['=1+1', '"\'=1+1"'],
  ['+49 30 1234', '"\'+49 30 1234"'],
  ['-cmd', '"\'-cmd"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['\t=1', '"\t\'=1"'],
  ['\r=1', '"\r\'=1"'],
  ['＝1', '"\'＝1"'],
  // A spreadsheet that separates by semicolons begins a cell behind each.
  ['x;=cmd', '"x;\'=cmd"'],
  [`x;=cmd|'/c calc'!A0;y`, `"x;'=cmd|'/c calc'!A0;y"`],
  ['two\n=lines', '"two\n\'=lines"'],
  // Elsewhere the same characters are text.
  ['a = b; c + d - e', '"a = b; c + d - e"'],
  ['amara@example.com', '"amara@example.com"'],
])('%j is the cell %s', (cell, text) => {
  expect(csvLines([[cell]])).toBe(`${text}\r\n`);
});

it('a row is its cells with commas between them, and ends as files of Windows do', () => {
  expect(csvLines([['one', 2, null], ['three']])).toBe('"one","2",""\r\n"three"\r\n');
});

it('nothing else in the product writes CSV', () => {
  const folders = ['shared', 'functions', 'events'];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = files.filter((file) => /\.tsx?$/.test(file));
  const writers = sources.filter((file) => readFileSync(file, 'utf8').includes("'csv-stringify"));
  expect(sources.length).toBeGreaterThan(100);
  expect(writers).toEqual(['shared/platform/text/csv.ts']);
});
