import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BaseSequencer, createVitest, type TestSpecification, type Vite, type Vitest } from 'vitest/node';
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
    include: [`test/**/*.${name}.test.ts`],
    runner: join(root, 'test/mutants/switching-runner.ts'),
    isolate: false,
    restoreMocks: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxConcurrency: 1,
    ...more,
  },
});

const database = {
  globalSetup: ['test/support/running-database.ts'],
  setupFiles: ['test/support/database-environment.ts'],
};

/** Test files run in the order in which they are given. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

const startVitest = (codes: ReadonlyMap<string, string>): Promise<Vitest> =>
  createVitest('test', {
    config: false,
    root,
    watch: false,
    reporters: [{}],
    maxWorkers: 1,
    sequence: { sequencer: GivenOrder },
    projects: [projectOf('unit', codes, {}), projectOf('database', codes, database)],
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

export interface Session {
  /**
   * Runs test files in their order, with each mutant in turn where a test reaches it.
   *
   * @returns what the runner found
   */
  tryMutants(ids: readonly string[], testFiles: readonly string[]): Promise<Outcome[]>;
  /** Whether a test of a file fails with a mutant that is on from the start: for code that runs only when it is loaded. */
  failsFromTheStart(id: string, testFile: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Starts vitest with instrumented code, on the projects `unit` and `database`.
 *
 * @param codes texts by source file
 * @param file the runner in vitest's worker writes its outcomes there
 */
export const startSession = async (codes: ReadonlyMap<string, string>, file: string): Promise<Session> => {
  mkdirSync(dirname(file), { recursive: true });
  const vitest = await startVitest(codes);
  await vitest.standalone();

  const run = async (testFiles: readonly string[]): Promise<boolean> => {
    const specifications = testFiles.flatMap((path): TestSpecification[] =>
      vitest.projects
        .filter(({ name }) => path.endsWith(`.${name}.test.ts`))
        .map((project) => project.createSpecification(join(root, path))),
    );
    const watchdog = watch(file);
    try {
      // Errors outside of tests are not asked for: vitest keeps those of earlier runs.
      const { testModules } = await vitest.runTestSpecifications(specifications);
      return testModules.every((module) => module.state() === 'passed');
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

  return {
    tryMutants: async (ids, testFiles) => {
      rmSync(file, { force: true });
      vitest.provide('mutants', [...ids]);
      vitest.provide('outcomes', file);
      vitest.provide('fromTheStart', '');
      await runToTheEnd(testFiles);
      return outcomesIn(file);
    },
    failsFromTheStart: async (id, testFile) => {
      vitest.provide('mutants', []);
      vitest.provide('fromTheStart', id);
      if (await run([testFile])) return false;
      // Only where it passes without the mutant did the mutant fail it.
      vitest.provide('fromTheStart', '');
      return run([testFile]);
    },
    close: () => vitest.close(),
  };
};
