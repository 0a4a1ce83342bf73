import { stringify } from 'csv-stringify/sync';

/** A number stays one. */
const isNumber = /^-\d+(\.\d+)?$/;
/** Where a spreadsheet reads a cell, which is behind each semicolon too if it takes that for the separator. */
const formulaBegins = /(^|[;\t\r\n])(?=[=+\-@＝＋－＠])/gu;

const asText = (cell: string): string => (isNumber.test(cell) ? cell : cell.replace(formulaBegins, "$1'"));

/** Every cell is quoted, and none is a formula to a spreadsheet. docs/behavior.md#csv */
export const csvLines = (rows: readonly (readonly (string | number | null)[])[]): string =>
  stringify(
    rows.map((cells) => cells.map((cell) => asText(String(cell ?? '')))),
    { quoted: true, quoted_empty: true, record_delimiter: 'windows' },
  );

const escapedFormula = /(^|[;\t\r\n])'(?=[=+\-@＝＋－＠])/gu;

/** A cell of `csvLines` as it was: without the apostrophes that keep a spreadsheet from reading formulas. */
export const unescapedCell = (cell: string): string => (cell.includes("'") ? cell.replace(escapedFormula, '$1') : cell);
