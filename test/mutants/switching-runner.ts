import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner, vi } from 'vitest';
import { ended, TimedOut, within } from './within.ts';

// Runs inside vitest's worker in place of its own runner. After a test has passed, it runs it again with each mutant turned on
// that the test reaches and that no test has noticed before. Or it loads a test file and all its sources once for each mutant
// that the path names: `path?mutant=12`.

declare module 'vitest' {
  interface ProvidedContext {
    /** The source files of the mutants to try, by the mutants' ids. */
    mutants: Record<string, string>;
    /** To which file the runner appends what it finds, one JSON value per line. */
    outcomes: string;
    /** Whether each path names the mutant that is on from the start. */
    fromTheStart: boolean;
  }
}

/** One line of the outcomes. */
export type Outcome =
  | { worker: number }
  | { trying: string; test: string }
  | { reached: string[]; by: string }
  | { noticed: string; by: string; how: How }
  /** A test that fails without a mutant. `after`: the mutant that ran just before, if one did, and may be the cause. */
  | { unusable: string; error: string; after?: string }
  /** Mutants in code that runs when it is loaded. */
  | { loaded: string[] }
  | { finished: string[] }
  /** A whole test file passed with a mutant on from the start, or without any. */
  | { passed: string; mutant: string };

/** How a mutant was noticed: a test failed, took too long, or the worker ended. */
export type How = 'failed' | 'timed out' | 'crashed';

/** What the instrumented code reads and writes. */
interface Switches {
  activeMutant: string | undefined;
  currentTestId: string | undefined;
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
  hitCount: number | undefined;
  hitLimit: number;
}

const switches: Switches = {
  activeMutant: undefined,
  currentTestId: undefined,
  mutantCoverage: { static: {}, perTest: {} },
  hitCount: undefined,
  hitLimit: Number.POSITIVE_INFINITY,
};
Object.assign(globalThis, { __stryker__: switches });

/** Max slow tests of a file that are tried with a mutant before the file is given up; fewer if it is about something else. */
const maxTriesInFile = { related: 15, other: 3 };
/** Quicker tests are tried however many there are: a table of cases may come before the one that notices. */
const slowMilliseconds = 20;
/** Max time for the tests of one mutant, over all files. */
const maxMilliseconds = 6000;

const triesInFile = new Map<string, number>();
const spentMilliseconds = new Map<string, number>();
const add = (sums: Map<string, number>, id: string, more: number): unknown => sums.set(id, (sums.get(id) ?? 0) + more);
const noMutant = 'none';
let mutantOfFile = noMutant;
let hasStarted = false;
let hasFailed = false;
const noticed = new Set<string>();
const loaded = new Set<string>();
/** Test files that fail without a mutant. */
const unusable = new Set<string>();
const { getSuiteHooks, getTestFn } = TestRunner;
// Tests may put another in its place.
const now = performance.now.bind(performance);

const suitesOf = (test: RunnerTestCase): RunnerTestSuite[] => {
  const suites: RunnerTestSuite[] = [];
  for (let suite = test.suite; suite; suite = suite.suite) suites.unshift(suite);
  return suites.includes(test.file) ? suites : [test.file, ...suites];
};

const nameOf = (test: RunnerTestCase): string => `${test.file.name} > ${test.fullTestName}`;

const nameOfFile = (path: string): string => path.replace(/\?.*/, '').replace(/^.*\/(?=test\/)/, '');

/** Whether a test file is about a source: it has its name, or that of a folder that it is in, in singular or plural. */
const isAbout = (testFile: string, source: string): boolean => {
  const [file = '', ...folders] = source
    .replace(/\.\w+$/, '')
    .split('/')
    .reverse();
  const telling = folders.filter((folder) => folder !== 'shared' && folder !== 'domain');
  return testFile.includes(`/${file}.`) || telling.some((folder) => testFile.includes(`/${folder.replace(/s$/, '')}`));
};

/** A rejection that nobody awaits would end the worker. */
process.on('unhandledRejection', () => {});

export default class SwitchingRunner extends TestRunner {
  private readonly pending = new Map<string, string>(Object.entries(this.injectValue('mutants')));
  private readonly outcomes: string = this.injectValue('outcomes');
  private readonly fromTheStart: boolean = this.injectValue('fromTheStart');

  constructor(...args: ConstructorParameters<typeof TestRunner>) {
    super(...args);
    if (hasStarted) return;
    hasStarted = true;
    this.readEarlier();
    this.say({ worker: process.pid });
  }

  private say(outcome: Outcome): void {
    appendFileSync(this.outcomes, `${JSON.stringify(outcome)}\n`);
  }

  /** What workers before this one noticed; the last of them may have ended in the middle of a test. */
  private readEarlier(): void {
    if (!existsSync(this.outcomes)) return;
    const lines = readFileSync(this.outcomes, 'utf8').trimEnd().split('\n');
    const earlier = lines.map((line): Outcome => JSON.parse(line));
    for (const outcome of earlier) if ('noticed' in outcome) noticed.add(outcome.noticed);
    const last = earlier.at(-1);
    if (last && 'trying' in last && last.trying !== noMutant) this.notice(last.trying, last.test, 'crashed');
  }

  private notice(id: string, by: string, how: How): void {
    noticed.add(id);
    this.say({ noticed: id, by, how });
  }

  /** The test once more, with its hooks. */
  private async repeat(test: RunnerTestCase): Promise<void> {
    const suites = suitesOf(test);
    const cleanups: (() => unknown)[] = [];
    this.onBeforeTryTask(test, { retry: 0, repeats: 0 });
    try {
      for (const suite of suites)
        for (const hook of getSuiteHooks(suite).beforeEach) {
          const cleanup: unknown = await hook(test.context, suite);
          if (typeof cleanup === 'function') cleanups.push(() => cleanup());
        }
      await getTestFn(test)();
      this.onAfterTryTask(test);
      const [error] = test.result?.errors ?? [];
      if (error) throw new Error(error.message);
    } finally {
      if (test.result) {
        test.result.state = 'run';
        delete test.result.errors;
      }
      for (const suite of suites.toReversed())
        for (const hook of getSuiteHooks(suite).afterEach) await hook(test.context, suite);
      for (const cleanup of cleanups) await cleanup();
    }
  }

  /** Whether a test passes without any mutant after it was run before; if it does not, it tells nothing about mutants. */
  private async isUsable(test: RunnerTestCase, after?: string): Promise<boolean> {
    switches.activeMutant = undefined;
    try {
      await this.repeat(test);
      return true;
    } catch (error) {
      this.say({ unusable: nameOf(test), error: String(error), ...(after && { after }) });
      return false;
    }
  }

  private async isNoticed(test: RunnerTestCase, mutant: string, hits: number, limit: number) {
    switches.activeMutant = mutant;
    switches.hitCount = 0;
    switches.hitLimit = 1000 + 100 * hits;
    const running = this.repeat(test);
    try {
      await within(limit, () => running);
      return undefined;
    } catch (error) {
      return error instanceof TimedOut ? 'timed out' : 'failed';
    } finally {
      switches.activeMutant = undefined;
      switches.hitCount = undefined;
      await ended(running);
    }
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    if (this.fromTheStart) return this.runUntilNoticed(test);
    const startedAt = now();
    switches.currentTestId = 'the test';
    try {
      await getTestFn(test)();
    } catch (error) {
      this.say({ unusable: nameOf(test), error: String(error) });
      throw error;
    }
    const milliseconds = now() - startedAt;
    const hits = switches.mutantCoverage.perTest[switches.currentTestId] ?? {};
    switches.mutantCoverage.perTest = {};
    switches.currentTestId = 'the test again';
    await this.tryMutants(test, hits, milliseconds);
    switches.currentTestId = undefined;
  }

  /** Loads the test file and its sources anew, with the mutant that its path names. */
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    if (!this.fromTheStart || source === 'setup') return super.importFile(path, source);
    const [, named = noMutant] = path.split('?mutant=');
    mutantOfFile = named.startsWith(noMutant) ? noMutant : named;
    if (noticed.has(mutantOfFile) || unusable.has(nameOfFile(path))) return undefined;
    this.say({ trying: mutantOfFile, test: nameOfFile(path) });
    vi.resetModules();
    hasFailed = false;
    Object.assign(
      switches,
      mutantOfFile === noMutant
        ? { activeMutant: undefined, hitCount: undefined }
        : { activeMutant: mutantOfFile, hitCount: 0, hitLimit: 1_000_000 },
    );
    return super.importFile(path, source);
  }

  private async runUntilNoticed(test: RunnerTestCase): Promise<void> {
    if (hasFailed) return;
    hasFailed = true;
    await within(20_000, async () => getTestFn(test)());
    hasFailed = false;
  }

  private relationOf(id: string, test: RunnerTestCase): 'related' | 'other' {
    return isAbout(test.file.name, this.pending.get(id) ?? '') ? 'related' : 'other';
  }

  private async tryMutants(test: RunnerTestCase, hits: Record<string, number>, milliseconds: number): Promise<void> {
    const reached = Object.keys(hits).filter((id) => this.pending.has(id));
    if (reached.length === 0) return;
    this.say({ reached, by: test.file.name });
    const untried = reached.filter(
      (id) =>
        !noticed.has(id) &&
        (triesInFile.get(id) ?? 0) < maxTriesInFile[this.relationOf(id, test)] &&
        (spentMilliseconds.get(id) ?? 0) + milliseconds <= maxMilliseconds,
    );
    if (untried.length === 0 || !(await this.isUsable(test))) return;
    for (const id of untried) {
      if (milliseconds >= slowMilliseconds) add(triesInFile, id, 1);
      add(spentMilliseconds, id, milliseconds);
      this.say({ trying: id, test: nameOf(test) });
      const how = await this.isNoticed(test, id, hits[id] ?? 0, 5000 + 20 * milliseconds);
      if (!how) continue;
      // What the mutant left behind may fail the test from now on: then it did fail it, but the next one may not have.
      this.notice(id, nameOf(test), how);
      if (!(await this.isUsable(test, id))) return;
    }
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (this.fromTheStart) {
      this.sayOfFiles(files);
      return;
    }
    const isNew = (id: string): boolean => this.pending.has(id) && !loaded.has(id);
    const whenLoaded = Object.keys(switches.mutantCoverage.static).filter(isNew);
    for (const id of whenLoaded) loaded.add(id);
    triesInFile.clear();
    this.say({ loaded: whenLoaded });
    this.say({ finished: files.map(({ name }) => name) });
  }

  /** A file that fails without a mutant tells nothing about mutants. */
  private leaveOut(file: string): void {
    if (unusable.has(file)) return;
    unusable.add(file);
    this.say({ unusable: file, error: 'As a whole it fails without a mutant' });
  }

  private sayOfFiles(files: readonly RunnerTestFile[]): void {
    switches.activeMutant = undefined;
    for (const file of files) {
      const by = nameOfFile(file.name);
      if (file.result?.state === 'pass') this.say({ passed: by, mutant: mutantOfFile });
      else if (mutantOfFile === noMutant) this.leaveOut(by);
      else if (!noticed.has(mutantOfFile) && !unusable.has(by))
        this.notice(mutantOfFile, `${by} > as a whole`, 'failed');
    }
    this.say({ finished: files.map(({ name }) => name) });
  }
}
