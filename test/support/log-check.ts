import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Vitest } from 'vitest/node';
import { stacksOfRun } from './stacks-of-run.ts';

/** In the data folder of the stack under test: what no log may repeat. */
export const secretsFile = 'secrets-of-tests.txt';

/** Stands in headers, queries and bodies that no log may repeat. */
export const logCanary = 'Canary7q2xKd9wUnspoken';

const leastLength = 12;
const leastVariety = 6;

/** Words that no other text has by chance: parts of tokens, secrets and cookies among them. */
export const wordsOf = (text: string): string[] =>
  text.split(/[^A-Za-z0-9]+/).filter((word) => word.length >= leastLength && new Set(word).size >= leastVariety);

const email = /[\w.+-]+@[\w-]+\.\w+/;
const query = /"path":"[^"]*\?/;

/**
 * What is wrong with the log of a function, a line for each sort. A secret counts where a part of it is in the log.
 *
 * @param secrets texts, one per line
 */
export const problemsInLog = (functionName: string, log: string, secrets: string): string[] => {
  const words = new Set(wordsOf(log));
  const found = [...new Set(wordsOf(secrets))].filter((word) => words.has(word));
  const lineWith = (wanted: string | RegExp): string =>
    (
      log.split('\n').find((line) => (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line))) ?? ''
    ).slice(0, 300);
  const problems: [string, string | RegExp | undefined][] = [
    [`${found.length} secrets or parts of some`, found[0]],
    ['a part of a query, header or body that a test sent', log.includes(logCanary) ? logCanary : undefined],
    ['an email address', email.test(log) ? email : undefined],
    ['a query', query.test(log) ? query : undefined],
  ];
  return problems.flatMap(([what, wanted]) =>
    wanted === undefined ? [] : [`The log of ${functionName} has ${what}: ${lineWith(wanted)}`],
  );
};

/** The problems of everything that all functions wrote in a run. */
export const logProblems = (vitest: Vitest): string[] =>
  stacksOfRun(vitest).flatMap(({ dataFolder, logFolder }) => {
    // The logs of a deployed stack are not on this machine.
    if (!logFolder) return [];
    const file = join(dataFolder, secretsFile);
    const secrets = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return globSync('*.log', { cwd: logFolder }).flatMap((name) =>
      problemsInLog(basename(name, '.log'), readFileSync(join(logFolder, name), 'utf8'), secrets),
    );
  });
