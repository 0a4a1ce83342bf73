import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accepted } from './accepted.ts';
import { drawSample } from './draw-sample.ts';
import { instrument, type Mutant } from './instrument.ts';
import {
  hashOfFile,
  type TestFile,
  testFiles,
  testsInProcess,
  testsOfSample,
  testsThroughStack,
} from './related-tests.ts';
import { divisionOfAll, divisionOfSample, reportOf, textOf } from './report.ts';
import { openResults } from './results.ts';
import { sampleTable, writeTable } from './sample-table.ts';
import { byArea, isRunByFunctions, root, sourcesInScope, sourcesOfSample } from './scope.ts';
import { tryMutants } from './try-mutants.ts';

// Changes the sources in one place at a time and runs the tests that reach it: at least one must fail. Without an option all
// sources in scope; else those whose paths contain one of the arguments, or with `--changed` those that differ from
// `--base` (origin/main). `--tests` names a part of the paths of the only tests to run. What was found is kept until the source
// or its tests change; `--again` forgets it.
// `--sample` draws so many mutants by a `--seed`, from pages and client too, and writes the table in docs/testing.md.
// `--scope` and `--folder` put other sources and another place of the report in place of those of the project.

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    base: { type: 'string', default: 'origin/main' },
    tests: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    scope: { type: 'string' },
    folder: { type: 'string', default: join(root, '.build/mutants') },
  },
});

const { folder } = options;
const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);

const changedSince = (base: string): Set<string> => {
  const git = (...args: string[]): string[] => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const fork = git('merge-base', base, 'HEAD')[0] ?? base;
  return new Set([...git('diff', '--name-only', fork), ...git('ls-files', '--others', '--exclude-standard')]);
};

const chosenSources = (): string[] => {
  const changed = options.changed ? changedSince(options.base) : undefined;
  const inScope = options.sample ? sourcesOfSample() : sourcesInScope(options.scope);
  return inScope.filter(
    (file) =>
      (!changed || changed.has(file)) && (positionals.length === 0 || positionals.some((part) => file.includes(part))),
  );
};

const sources = new Map(chosenSources().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const { codes, mutants: all } = await instrument(sources);
const mutants = options.sample ? drawSample(all, Number(options.sample), options.seed) : all;
const inProcess = testFiles(testsInProcess);
const throughStack = options.scope ? [] : testFiles(options.sample ? testsOfSample : testsThroughStack);
const loading = (file: string, tests: readonly TestFile[]) => tests.filter(({ loads }) => loads.has(file));
const isChosen = ({ file }: TestFile): boolean => file.includes(options.tests);
// Hashes cover all tests, not only the chosen ones, so that a result of another choice of tests stays valid.
const hashes = new Map(
  [...sources.keys()].map((file) => [
    file,
    { source: hashOfFile(file), tests: [...loading(file, inProcess), ...throughStack] },
  ]),
);
const results = openResults(
  join(folder, 'results.json'),
  (key) => hashes.get(key.split(' | ')[0] ?? '') ?? { source: '', tests: [] },
  options.again,
);

const untried = mutants.filter(({ key }) => results.of(key) === undefined);
console.log(`${mutants.length} mutants in ${sources.size} files, ${untried.length} to try`);
// What some of the tests do not notice, the others may.
const save = (): void => results.save(options.tests === '' ? undefined : 'noticed');
// A sample is small: all of it is tried in one go, since each goes through all tests of the stack.
const goes: [string, Mutant[]][] = options.sample ? [['sample', untried]] : byArea(untried);
for (const [area, ofArea] of goes) {
  if (ofArea.length === 0) continue;
  const files = new Set(ofArea.map(({ file }) => file));
  await tryMutants(area, {
    codes: new Map([...codes].filter(([file]) => files.has(file))),
    mutants: ofArea,
    testsOf: (file) => loading(file, inProcess).filter(isChosen),
    stackTests: isRunByFunctions(area) ? throughStack.filter(isChosen) : [],
    outcomes: join(folder, 'outcomes.jsonl'),
    log: (line) => console.log(`${seconds()} s  ${line}`),
    keep: (mutant, result) => results.keep(mutant.key, result),
    save,
  });
}

const report = reportOf(
  mutants.map((mutant) => ({ ...mutant, result: results.of(mutant.key) })),
  accepted,
  options.sample ? divisionOfSample : divisionOfAll,
);
const text = textOf(report);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
writeFileSync(join(folder, 'report.txt'), `${text}\n`);
console.log(`${text}\n${seconds()} s`);
if (options.sample && positionals.length === 0) writeTable(sampleTable(report, options.seed, new Date()));
process.exitCode = report.problems.length > 0 ? 1 : 0;
