import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './scope.ts';

const patches = globSync('test/mutants/planted/*.patch', { cwd: root });
const lineOf = (text: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
const wordsInRun = 5;
const wordsOf = (text: string): string[] => text.match(/\p{L}+/gu) ?? [];

const named = patches.map((patch) => [basename(patch, '.patch'), patch] as const);

/** The lines that each part of a patch looks for. */
const partsOf = (text: string): string[] =>
  text
    .split(/^@@ .*\n/m)
    .slice(1)
    .map((part) => part.replaceAll(/^\+.*\n/gm, '').replaceAll(/^[ -]/gm, ''));

it.each(named)('the planted bug %s fits the code as it is', (_name, patch) => {
  const text = readFileSync(join(root, patch), 'utf8');
  const code = readFileSync(join(root, /^\+\+\+ b\/(.+)$/m.exec(text)?.[1] ?? ''), 'utf8');
  expect(partsOf(text)).not.toEqual([]);
  expect(partsOf(text).filter((part) => !code.includes(part))).toEqual([]);
});

it.each(named)('the test that must notice the planted bug %s is in the file that its patch names', (_name, patch) => {
  const text = readFileSync(join(root, patch), 'utf8');
  const words = wordsOf(readFileSync(join(root, lineOf(text, 'test')), 'utf8')).join(' ');
  const name = wordsOf(lineOf(text, 'name'));
  // A part of a name may come from a table of cases.
  const runs = name.slice(wordsInRun - 1).map((_, at) => name.slice(at, at + wordsInRun).join(' '));
  expect(runs.filter((run) => words.includes(run))).not.toEqual([]);
});
