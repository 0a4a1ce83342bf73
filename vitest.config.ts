import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { markConditions } from './test/conditions/mark-conditions.ts';
import { closingLine } from './test/support/closing-line.ts';
import { longest } from './test/support/longest-first.ts';

/** Vitest keeps a worker, and what it has imported, only while the next file is of the same project. */
const projectOrder = ['stack', 'template', 'database', 'unit', 'browser', 'commands'];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const project = (file: TestSpecification): number => projectOrder.indexOf(file.project.name);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? longest.length : at;
    };
    return files.toSorted(
      (one, other) =>
        project(one) - project(other) || place(one) - place(other) || (one.moduleId < other.moduleId ? -1 : 1),
    );
  }
}

/** Tests that start nothing: `npm run test:unit`. */
const unitTests = 'test/**/*.unit.test.ts';
/** Tests of the domain against the embedded database alone, in the process of the test: `npm run test:domain`. */
const databaseTests = 'test/**/*.database.test.ts';
/** Tests of the CDK stack's template, which is synthesized in the process of the test: `npm run test:template`. */
const templateTests = 'test/**/*.template.test.ts';

/** Tests with a real browser: `npm run test:browser`. */
const browserTests = 'test/**/*.browser.test.ts';
/** Tests of commands, which start many processes: `npm run test:commands`. */
const commandTests = 'test/**/*.commands.test.ts';

const unsigned = 'test/support/unsigned-requests.ts';

const onOneStack = (name: string, test: { include: string[]; exclude?: string[] }) => ({
  extends: true as const,
  test: {
    ...test,
    name,
    globalSetup: ['test/support/running-stack.ts'],
    // The second one for npm run test:needs.
    setupFiles: [unsigned, ...(process.env.RECORD_USAGE ? ['test/needs/record-usage.ts'] : [])],
  },
});

/** On demand: a database that fails by chance, that is slow on purpose, or another one; events that come late. */
const takesLonger = ['TEST_FAULTS', 'TEST_CONFLICTS', 'TEST_LATE', 'DYNAMODB_ENDPOINT'].some(
  (name) => process.env[name],
);

/** Of a stack on an emulator, where each call starts a process: test/rehearsal. */
const isRehearsal = process.env.DEPLOYED_STACK !== undefined;

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: [unitTests] } },
      {
        extends: true,
        plugins: [markConditions()],
        test: {
          name: 'database',
          include: [databaseTests],
          globalSetup: ['test/support/running-database.ts'],
          setupFiles: ['test/support/database-environment.ts', unsigned, 'test/conditions/record-conditions.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'template', include: [templateTests], globalSetup: ['test/support/bundled-functions.ts'] },
      },
      onOneStack('stack', {
        include: ['test/**/*.test.ts'],
        exclude: [unitTests, databaseTests, templateTests, browserTests, commandTests],
      }),
      onOneStack('browser', { include: [browserTests] }),
      onOneStack('commands', { include: [commandTests] }),
    ],
    reporters: ['default', closingLine],
    // Every file works in programs of its own, so files may run beside each other on one stack.
    // More of them than processors: each waits for the stack most of the time.
    maxWorkers: 4,
    // What code under test prints is shown where a test fails.
    silent: 'passed-only',
    // Files share what they import: loading the SDK anew for each would take a tenth of the time.
    isolate: false,
    // Room for what the tests make, so that it is cleared away less often. Most code of 50 functions and of the tests runs
    // too rarely to be worth the optimizing compiler, which takes a fifth of the time; package.json has the same for functions.
    execArgv: ['--max-semi-space-size=64', '--always-sparkplug', '--max-opt=2'],
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    // Waits end when what they wait for is there, so that generous limits cost nothing.
    testTimeout: isRehearsal ? 900_000 : takesLonger ? 240_000 : 60_000,
    hookTimeout: isRehearsal ? 900_000 : takesLonger ? 240_000 : 120_000,
    // One second, as it is otherwise, is short where a worker has to be started first.
    expect: { poll: { timeout: isRehearsal ? 300_000 : 30_000, interval: 100 } },
  },
});
