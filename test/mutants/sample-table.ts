import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './report.ts';
import { floorOfArea, root } from './scope.ts';

const page = join(root, 'docs/testing.md');
const table = /(<!-- table of the sample -->\n\n)[\s\S]*?(\n\n<!-- end of the table -->)/;

/** What a sample found, for people: a row for each folder. */
export const sampleTable = ({ kinds }: Report, seed: string, now: Date): string => {
  const rows = Object.entries(kinds).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const drawn = rows.reduce((sum, [, { mutants }]) => sum + mutants, 0);
  const head = ['Folder', 'Mutants', 'Noticed', 'Survived', 'Not reached', 'Change nothing', 'Score', 'At least'];
  const cells = rows.map(([folder, { mutants, noticed, survived, notReached, accepted, score }]) =>
    [`\`${folder}\``, mutants, noticed, survived, notReached, accepted, `${score} %`, `${floorOfArea(folder)} %`].map(
      String,
    ),
  );
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const date = now.toISOString().slice(0, 10);
  return [`Of ${date}, ${drawn} mutants drawn by the seed ${seed}:`, '', line(head), rule, ...cells.map(line)].join(
    '\n',
  );
};

/** Writes the table into its place in docs/testing.md. */
export const writeTable = (text: string): void =>
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(table, (_, before: string, after: string) => `${before}${text}${after}`),
  );
