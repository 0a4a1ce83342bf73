import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { connector, main } from '../http/openapi/documents.ts';

/** One word for one thing: what was renamed must not come back. See docs/glossary.md for the words of the domain. */

const files = globSync('{shared,functions,events,infra,test}/**/*.{ts,tsx,mjs}').filter(
  (file) => !file.endsWith('vocabulary.unit.test.ts'),
);
const sources = [...files, 'README.md', ...globSync('docs/**/*.md')];

// In the sources a phrase may be split over two strings.
const documents = { 'the OpenAPI document': main, 'that of the connector': connector };
const texts = [...sources, ...Object.keys(documents)];

const textByPath = new Map([
  ...sources.map((path) => [path, readFileSync(path, 'utf8')] as const),
  ...Object.entries(documents).map(([name, document]) => [name, JSON.stringify(document, null, 1)] as const),
]);

const linesWith = (path: string, words: RegExp): string[] =>
  (textByPath.get(path) ?? '')
    .split('\n')
    .flatMap((line, at) => (words.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []));

const found = (paths: readonly string[], words: RegExp): string[] =>
  paths.filter((path) => words.test(textByPath.get(path) ?? '')).flatMap((path) => linesWith(path, words));

const codeWords = [
  'whileChanging',
  'RecordChanged',
  'retryPassing',
  'Repetition',
  'madeBefore',
  'leaveOpen',
  'sideBySide',
  'takePlace',
  'twin',
  'twins',
  'sealed',
  'opened',
];

it.each([
  ...codeWords.map((word): [string, RegExp] => [word, new RegExp(`\\b${word}\\b`)]),
  ['most…', /\bmost[A-Z]\w*/],
  ['…Answer', /\b\w*[a-z]Answers?\b/],
  ['answer…', /\banswer[A-Z]\w*|\banswers?\b/],
])('no code says %s', (_name, word) => {
  expect(found(files, word)).toEqual([]);
});

it.each([
  'in any case',
  'address that is none',
  'half of a surrogate',
  'already is in the program',
  'endpoint was switched off',
  'switched the endpoint off',
  'attempts by hand',
  'is PAID and stays',
  'Others keep changing',
  'somebody asked',
  'This did not work',
  'This form cannot be taken',
  'here is like that',
  'It stays once',
  'one a line',
  'will be answered',
  'told of every change',
  'gone without a trace',
  'taken for dead',
  'weigh no more',
  'lies in the clear',
  'How a person calls',
  'From which states a delivery goes',
  'cannot both be it',
  'Tells authentication of',
  'What is there today',
  'from the next request on',
  'Users notice',
  'is nothing when rounded',
])('no text says "%s"', (phrase) => {
  expect(found(texts, new RegExp(phrase))).toEqual([]);
});
