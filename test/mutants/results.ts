import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TestFile } from './related-tests.ts';
import type { How } from './switching-runner.ts';

/** What came of a mutant: noticed by a test, reached by tests that all passed, or reached by none. */
export type Result =
  | { outcome: 'noticed'; by: string; how: How }
  | { outcome: 'survived' }
  | { outcome: 'not reached' };

interface Kept {
  /** Of the source file's text. */
  source: string;
  /** Of the test files that it depends on: the one that noticed the mutant, or all that load its file. */
  tests: string;
  result: Result;
}

export interface Results {
  of(key: string): Result | undefined;
  keep(key: string, result: Result): void;
  /** Writes all results, or those with an outcome. */
  save(outcome?: Result['outcome']): void;
}

interface Hashes {
  source: string;
  tests: readonly TestFile[];
}

const testsHash = (result: Result, tests: readonly TestFile[]): string => {
  const relevant =
    result.outcome === 'noticed' ? tests.filter(({ file }) => result.by.startsWith(`${file} > `)) : tests;
  return relevant.map(({ file, hash }) => `${file} ${hash}`).join('\n');
};

/**
 * Opens what earlier runs found. A result holds until its source file changes, or the test that noticed the mutant, or for one
 * that was not noticed any test that loads the file.
 *
 * @param hashesOf the present state of the file of a mutant
 */
export const openResults = (path: string, hashesOf: (key: string) => Hashes, isFresh: boolean): Results => {
  const stored: [string, Kept][] = existsSync(path) && !isFresh ? JSON.parse(readFileSync(path, 'utf8')) : [];
  const kept = new Map(stored);
  return {
    of: (key) => {
      const known = kept.get(key);
      if (!known) return undefined;
      const { source, tests } = hashesOf(key);
      return known.source === source && known.tests === testsHash(known.result, tests) ? known.result : undefined;
    },
    keep: (key, result) => {
      const { source, tests } = hashesOf(key);
      kept.set(key, { source, tests: testsHash(result, tests), result });
    },
    save: (outcome) => {
      const chosen = [...kept].filter(([, { result }]) => outcome === undefined || result.outcome === outcome);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `[${chosen.map((entry) => JSON.stringify(entry)).join(',\n')}]\n`);
    },
  };
};
