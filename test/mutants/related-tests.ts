import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './scope.ts';

const importsByFile = new Map<string, string[]>();
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of the project that a file imports when it runs. */
const importsOf = (file: string): string[] => {
  const known = importsByFile.get(file);
  if (known) return known;
  const loaded = textOf(file).replaceAll(/^(import|export) type [\s\S]*?;$/gm, '');
  const imports = ts
    .preProcessFile(loaded)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => /^\.\.?\/.*\.tsx?$/.test(name))
    .map((name) => relative(root, join(root, dirname(file), name)));
  importsByFile.set(file, imports);
  return imports;
};

/** A file and all that it imports, itself or through others. */
const closureOf = (file: string): Set<string> => {
  const closure = new Set([file]);
  for (const one of closure) for (const imported of importsOf(one)) closure.add(imported);
  return closure;
};

const hashOf = (files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`\0${file}\0`).update(textOf(file));
  return hash.digest('hex').slice(0, 16);
};

export interface TestFile {
  file: string;
  /** The sources that it loads. */
  loads: Set<string>;
  /** Of its text and of the tests' own code that it imports. */
  hash: string;
}

/** Which test files, by patterns of their paths below the project's folder. */
interface Patterns {
  include: string;
  exclude: string[];
}

/** Tests that run the tested code in their own process. */
export const testsInProcess: Patterns = { include: 'test/**/*.{unit,database,template}.test.ts', exclude: [] };

/** Tests that read the logs of functions, which are not written when mutants are tried, or that take minutes. */
const unfit = ['logs', 'races', 'deleted-program', 'deletion-cost', 'redemption-limits'].map(
  (name) => `test/api/${name}.test.ts`,
);
/** These start their workers by themselves. */
const withOwnWorkers = ['largest-events', 'delivery', 'delivery-hops'].map((name) => `test/webhooks/${name}.test.ts`);

/** Tests of the API and of webhooks that need nothing but the stack. */
export const testsThroughStack: Patterns = {
  include: 'test/{api,connector,events,http,webhooks}/**/*.test.ts',
  exclude: ['test/**/*.{unit,database,template,browser,commands}.test.ts', ...unfit, ...withOwnWorkers],
};

/** For pages and the client too: all tests of the stack that have its functions in their process. */
export const testsOfSample: Patterns = {
  include: 'test/{api,client,connector,events,http,web,webhooks}/**/*.test.ts',
  exclude: testsThroughStack.exclude,
};

/** Test files, each with the sources that it loads and its hash. */
export const testFiles = ({ include, exclude }: Patterns): TestFile[] =>
  globSync(include, { cwd: root, exclude }).map((file) => {
    const loads = closureOf(file);
    return { file, loads, hash: hashOf([...loads].filter((one) => one.startsWith('test/')).sort()) };
  });

/** The hash of a source file's text. */
export const hashOfFile = (file: string): string => hashOf([file]);
