import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BaseSequencer, createVitest, type TestSpecification, type Vite, type Vitest } from 'vitest/node';
import type { Mutant } from './instrument.ts';
import { root } from './scope.ts';
import type { Outcome } from './switching-runner.ts';

/** After so many seconds without a sign of life a worker hangs in code that no timer interrupts. */
const silenceSeconds = 90;

/** Gives vitest the instrumented code in place of the file's own, and keeps it out of its cache. */
const instrumentedCode = (codes: ReadonlyMap<string, string>): Vite.Plugin => {
  const codeOf = (id: string): string | undefined => codes.get(id.replace(/\?.*/, '').slice(root.length));
  return {
    name: 'mutants',
    enforce: 'pre',
    load: codeOf,
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (codeOf(id) === undefined ? undefined : false)),
  };
};

const projectOf = (name: string, codes: ReadonlyMap<string, string>, more: object) => ({
  plugins: [instrumentedCode(codes)],
  test: {
    name,
    include: [],
    runner: join(root, 'test/mutants/switching-runner.ts'),
    isolate: false,
    restoreMocks: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 50 } },
    maxConcurrency: 1,
    ...more,
  },
});

const database = {
  globalSetup: ['test/support/running-database.ts'],
  setupFiles: ['test/support/database-environment.ts'],
};

const template = { globalSetup: ['test/support/bundled-functions.ts'] };

/** The local stack, whose functions run in the process of the test. */
const stack = {
  globalSetup: ['test/mutants/forwarding-stack.ts'],
  setupFiles: ['test/mutants/forwarded-functions.ts'],
};

/** Test files run in the order in which they are given. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The project that a test file belongs to. */
const projectOfFile = (file: string): string => /\.(unit|database|template)\.test\.ts$/.exec(file)?.[1] ?? 'stack';

const startVitest = (codes: ReadonlyMap<string, string>): Promise<Vitest> =>
  createVitest('test', {
    config: false,
    root,
    watch: false,
    reporters: [{}],
    maxWorkers: 1,
    sequence: { sequencer: GivenOrder },
    projects: [
      projectOf('unit', codes, {}),
      projectOf('database', codes, database),
      projectOf('template', codes, template),
      projectOf('stack', codes, stack),
    ],
  });

const outcomesIn = (file: string): Outcome[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Outcome => JSON.parse(line))
    : [];

/** Does nothing if it has ended already. */
const endProcess = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

/** Ends a worker that hangs. */
const watch = (file: string): NodeJS.Timeout =>
  setInterval(() => {
    if (!existsSync(file) || Date.now() - statSync(file).mtimeMs < silenceSeconds * 1000) return;
    const worker = outcomesIn(file).findLast((outcome) => 'worker' in outcome);
    if (worker) endProcess(worker.worker);
  }, 1000);

/** A mutant that is on from the start, and the test file that runs with it. */
interface Trial {
  id: string;
  file: string;
}

export interface Session {
  /**
   * Runs test files in their order, with each mutant in turn where a test reaches it.
   *
   * @returns what the runner found
   */
  tryMutants(mutants: readonly Mutant[], testFiles: readonly string[]): Promise<Outcome[]>;
  /**
   * Loads a test file and its sources anew for each mutant, which is on while they are loaded: for code that runs only then.
   *
   * @returns the names of the test files that fail, by mutant
   */
  tryFromTheStart(trials: readonly Trial[]): Promise<Map<string, string>>;
  close(): Promise<void>;
}

/** Max files that one worker runs: what they load stays in its memory. */
const maxFilesInWorker = 150;

/** Between two runs without a mutant, which show that the test file passes before and after. */
const pathsOf = (file: string, ids: readonly string[]): string[] =>
  ['none-before', ...ids, 'none-after'].map((id) => `${file}?mutant=${id}`);

/**
 * Starts vitest with instrumented code, on the projects `unit`, `database`, `template` and `stack`.
 *
 * @param codes texts by source file
 * @param file the runner in vitest's worker writes its outcomes there
 * @param log takes which tests were not used, and why
 */
export const startSession = async (
  codes: ReadonlyMap<string, string>,
  file: string,
  log: (line: string) => void,
): Promise<Session> => {
  mkdirSync(dirname(file), { recursive: true });
  const vitest = await startVitest(codes);
  await vitest.standalone();

  const run = async (testFiles: readonly string[]): Promise<void> => {
    const specifications = testFiles.flatMap((path): TestSpecification[] =>
      vitest.projects
        .filter(({ name }) => name === projectOfFile(path.replace(/\?.*/, '')))
        .map((project) => project.createSpecification(join(root, path))),
    );
    const watchdog = watch(file);
    try {
      // Vitest's own results are ignored: the runner reports what it finds.
      await vitest.runTestSpecifications(specifications);
    } finally {
      clearInterval(watchdog);
    }
  };

  /** The files that a worker left when it ended early run once more, without the mutant that ended it. */
  const runToTheEnd = async (testFiles: readonly string[], attempts = 10): Promise<void> => {
    await run(testFiles);
    const finished = new Set(outcomesIn(file).flatMap((outcome) => ('finished' in outcome ? outcome.finished : [])));
    const left = testFiles.filter((path) => !finished.has(path));
    if (left.length > 0 && attempts > 1) await runToTheEnd(left, attempts - 1);
  };

  const say = (outcomes: readonly Outcome[]): void => {
    for (const outcome of outcomes)
      if ('unusable' in outcome)
        log(`Not used ${outcome.after ? 'after a mutant' : 'at all'}: ${outcome.unusable}: ${outcome.error}`);
  };

  const outcomesOf = async (testFiles: readonly string[]): Promise<Outcome[]> => {
    rmSync(file, { force: true });
    await runToTheEnd(testFiles);
    const outcomes = outcomesIn(file);
    say(outcomes);
    return outcomes;
  };

  /** The mutants with which a test file fails. What one leaves behind may fail the file with the next: then each is tried alone. */
  const failing = async (testFile: string, ids: readonly string[]): Promise<string[]> => {
    const outcomes = await outcomesOf(pathsOf(testFile, ids));
    const failed = outcomes.flatMap((outcome) => ('noticed' in outcome ? [outcome.noticed] : []));
    const isUsable = !outcomes.some((outcome) => 'unusable' in outcome);
    if (isUsable || failed.length === 0) return failed;
    if (ids.length === 1) return outcomes.some((outcome) => 'passed' in outcome) ? failed : [];
    const alone: string[] = [];
    for (const id of failed) alone.push(...(await failing(testFile, [id])));
    return alone;
  };

  return {
    tryMutants: (mutants, testFiles) => {
      vitest.provide('mutants', Object.fromEntries(mutants.map(({ id, file: source }) => [id, source])));
      vitest.provide('outcomes', file);
      vitest.provide('fromTheStart', false);
      return outcomesOf(testFiles);
    },
    tryFromTheStart: async (trials) => {
      vitest.provide('mutants', {});
      vitest.provide('fromTheStart', true);
      const noticed = new Map<string, string>();
      for (const [testFile, ofFile = []] of Object.entries(Object.groupBy(trials, (trial) => trial.file)))
        for (let at = 0; at < ofFile.length; at += maxFilesInWorker) {
          const ids = ofFile.slice(at, at + maxFilesInWorker).map(({ id }) => id);
          for (const id of await failing(testFile, ids)) noticed.set(id, testFile);
        }
      return noticed;
    },
    close: () => vitest.close(),
  };
};
