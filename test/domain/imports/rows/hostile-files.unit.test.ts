import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { complaintsAbout } from './reading.ts';

const header = 'email,firstName,createdAt';
const affiliate = (cells: string): string => `${header}\n${cells}\n`;
const zipped = (name: string): Buffer =>
  Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), Buffer.from(name)]);
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const bytes = (...numbers: number[]): Buffer => Buffer.from(numbers);
const workbook = 'This is an Excel workbook. Save it as CSV.';
const empty = 'The file is empty. Its first row must have the names of the columns.';
const unclosed = 'A quote (") opens in this row and never closes. Close it, or double it if it is part of the text.';
const closedEarly = 'A quoted cell goes on behind its closing quote ("). Double every quote that is part of the text.';
const inMiddle =
  'A quote (") stands in a cell that does not begin with one. Put the cell into quotes, and double those in it.';
const tooLarge = 'The row is larger than 64 KB. Shorten it, and check that every quote (") in it closes.';
const notUtf8 = 'The cell has bytes that are not UTF-8. Save the file as CSV in UTF-8.';
const hasNul = 'The cell has a NUL character. Save the file as CSV in UTF-8.';
const noEmail = 'No column of the file is mapped to email, which every row needs.';

it.each<[name: string, content: string | Uint8Array, row: number, column: string | null, message: string]>([
  ['nothing', '', 1, null, empty],
  ['a byte order mark alone', '\uFEFF', 1, null, empty],
  ['blank rows alone', '\n\n , ,\n', 1, null, empty],
  ['a workbook', zipped('[Content_Types].xml'), 1, null, workbook],
  ['a workbook with its sheets first', zipped('xl/workbook.xml'), 1, null, workbook],
  ['an old workbook', bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1), 1, null, workbook],
  [
    'a spreadsheet of OpenDocument',
    zipped('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'),
    1,
    null,
    'This is an OpenDocument spreadsheet. Save it as CSV.',
  ],
  ['an archive', zipped('sales.csv'), 1, null, 'This is a ZIP archive. Unpack it and import the CSV file in it.'],
  [
    'a compressed file',
    gzipSync(affiliate('a@example.com,A,')),
    1,
    null,
    'This is a gzip file. Unpack it and import the CSV file.',
  ],
  ['a PDF document', '%PDF-1.7\n', 1, null, 'This is a PDF document. Export the data as CSV.'],
  ['a web page', '\n<!DOCTYPE html><html>', 1, null, 'This is a web page or an XML document. Export the data as CSV.'],
  [
    'an XML document',
    '<?xml version="1.0"?>',
    1,
    null,
    'This is a web page or an XML document. Export the data as CSV.',
  ],
  ['an RTF document', '{\\rtf1 text}', 1, null, 'This is an RTF document. Save it as CSV.'],
  ['a picture', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0), 1, '\uFFFDPNG', notUtf8],
  ['UTF-16 without a byte order mark', utf16(header), 1, 'e\0m\0a\0i\0l\0', hasNul],
  ['Latin-1', Buffer.from(affiliate('a@example.com,Zoé,'), 'latin1'), 2, 'firstName', notUtf8],
  [
    'an encoded surrogate',
    Buffer.concat([Buffer.from(affiliate('a@example.com,')), bytes(0xed, 0xa0, 0x80)]),
    3,
    'email',
    notUtf8,
  ],
  ['an unpaired surrogate in UTF-16', utf16(`\uFEFF${affiliate('a@example.com,\uD800x,')}`), 2, 'firstName', notUtf8],
  [
    'a cut character at the end',
    Buffer.concat([Buffer.from(`${header}\na@example.com,Zo`), bytes(0xc3)]),
    2,
    'firstName',
    notUtf8,
  ],
  ['NUL in a cell', affiliate('a@example.com,A\0,'), 2, 'firstName', hasNul],
  ['NUL in a header', 'email,first\0Name\na@example.com,A\n', 1, 'first\0Name', hasNul],
  ['NUL in a column that is not imported', 'email,firstName,x\na@example.com,A,\0\n', 2, 'x', hasNul],
  ['a quote that never closes', affiliate('a@example.com,"Amara,\nb@example.com,Ben,'), 2, 'firstName', unclosed],
  ['a quote in the header that never closes', 'email,"firstName\na@example.com,A\n', 1, null, unclosed],
  [
    'a quote that closes rows later',
    affiliate('a@example.com,"Amara,\nb@example.com,"Ben",'),
    2,
    'firstName',
    closedEarly,
  ],
  ['text behind a closing quote', affiliate('a@example.com,"A"mara,'), 2, 'firstName', closedEarly],
  ['a quote in the middle', affiliate('a@example.com,Amara "A" Okafor,'), 2, 'firstName', inMiddle],
  ['a quote behind blank rows', `${header}\n\n\na@example.com,A"B,\n`, 4, 'firstName', inMiddle],
  ['a row of 64 KB', affiliate(`a@example.com,${'x'.repeat(65_536)},`), 2, 'firstName', tooLarge],
  ['a header of 64 KB', `${'x'.repeat(65_536)},email\n`, 1, null, tooLarge],
  ['an open quote before 64 KB', affiliate(`a@example.com,"${'x,\n'.repeat(30_000)}`), 2, 'firstName', tooLarge],
  [
    '10,000 columns',
    Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(','),
    1,
    'c200',
    'The file has 10000 columns. At most 200 are allowed: remove some.',
  ],
  [
    'two columns of one name',
    'email,firstName,email\na@example.com,A,b@example.com\n',
    1,
    'email',
    'The file has two columns "email". Rename or remove one of them.',
  ],
  ['no column that is needed', 'name,plan\nA,pro\n', 1, 'email', noEmail],
  ['prototype names as headers', '__proto__,constructor,toString,hasOwnProperty\na,b,c,d\n', 1, 'email', noEmail],
  ['numbers instead of a header', '1,2,3\n4,5,6\n', 1, 'email', noEmail],
])('a file that is %s is refused as a whole', async (_, content, row, column, message) => {
  expect(await complaintsAbout('affiliates', content)).toEqual([{ of: 'file', row, column, message }]);
});

it.each([1, 2, 3, 7, 64])('a file says the same in chunks of %i bytes', async (chunkBytes) => {
  const quoted = '\uFEFFemail;firstName\r\n"a@example.com";"A\r\n""b"""\r\nx;Zoë\r\n';
  for (const content of [quoted, utf16(quoted), utf16(quoted).swap16()])
    expect(await complaintsAbout('affiliates', content, { chunkBytes })).toEqual([
      { of: 'row', row: 2, column: 'firstName', message: 'firstName must not contain control characters' },
      { of: 'row', row: 3, column: 'email', message: 'email must be an email address' },
    ]);
});
