import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { secretsUsed } from '../../infra/constructs/access.ts';
import { functionSources, sourceHash } from '../../infra/source-hash.ts';
import { type DeclaredNeed, nameOfNeed } from '../support/declared-needs.ts';
import { grantingNeeds } from '../support/permissions.ts';
import { learnUsage, type UsingTest } from './learn-usage.ts';
import { type Pending, planBatch, testsUsing } from './plan-batch.ts';
import { type Noticed, openResults } from './results.ts';
import { runBatch } from './run-batch.ts';

// Takes every need from every operation, page and worker, on one running stack, and runs a test that uses it: each must be
// noticed. The needs of others stay, so that a need counts even where another operation of the same function has it too.
// `--function sales` takes the needs of one function; `--sample 10` as many as that, evenly spread. `--minutes 10` ends soon
// after, `--learn 5` learns from no further test file after so many minutes. What was noticed is kept until a source
// changes, so that a run goes on where one ended; `--again` forgets it.

const { values: options } = parseArgs({
  options: {
    function: { type: 'string' },
    sample: { type: 'string' },
    minutes: { type: 'string', default: '600' },
    learn: { type: 'string', default: '60' },
    again: { type: 'boolean', default: false },
  },
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const resultsFolder = `${root}.build/needs`;
const testFolders = ['test/api/', 'test/connector/', 'test/web/', 'test/webhooks/'];
/** It takes permissions itself, in place of those that are taken here. */
const ownWithdrawals = '/needs-sample.test.ts';
const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
const isTimeLeft = (): boolean => seconds() < Number(options.minutes) * 60;

interface Mutant extends Pending {
  readonly need: DeclaredNeed;
}

const chosenNeeds = (): DeclaredNeed[] => {
  const needs = grantingNeeds().filter(({ functionName }) => !options.function || functionName === options.function);
  const count = Math.min(Number(options.sample ?? needs.length), needs.length);
  return Array.from({ length: count }, (_, at) => needs[Math.floor((at * needs.length) / count)]).filter(
    (need) => need !== undefined,
  );
};

/** The test runner, in this process: it also records which test uses which needs. */
const startVitest = async (): Promise<Vitest> => {
  process.env.RECORD_USAGE = 'true';
  const vitest = await createVitest('test', {
    root,
    project: ['stack'],
    watch: false,
    reporters: [{}],
    // A test that waits for background work waits in vain when that work lacks a need.
    testTimeout: 25_000,
    // Concurrent tests wait in a hook for their turn (record-usage.ts).
    hookTimeout: 300_000,
    maxConcurrency: 100,
  });
  await vitest.standalone();
  return vitest;
};

/** The environment of the stack, which starts with the first test that runs: one that calls no function, if there is one. */
const stackEnvironmentOf = async (vitest: Vitest, tests: readonly UsingTest[]) => {
  const project = vitest.projects[0];
  const calls = ({ used, usedByHooks }: UsingTest): number => used.length + usedByHooks.length;
  const [plain] = tests.toSorted((one, other) => calls(one) - calls(other) || one.milliseconds - other.milliseconds);
  if (!project || !plain) throw new Error('There are no tests');
  await vitest.runTestSpecifications([project.createSpecification(plain.moduleId, { testIds: [plain.testId] })]);
  return project.getProvidedContext().stackEnvironment;
};

const results = openResults({
  file: `${resultsFolder}/results.json`,
  hash: sourceHash([...functionSources, 'infra/**/*', 'test/**/*']),
  isFresh: options.again,
});
const needs = chosenNeeds();
const untried: Mutant[] = [];
const hasNoTest = (mutant: Mutant): boolean => mutant.tests.length === 0;
const survivors: string[] = [];

/** What remains to be tried for a need that a batch did not notice. */
const afterBatch = (mutant: Mutant, size: number): Mutant =>
  size > 1 ? { ...mutant, mustBeAlone: true } : { ...mutant, tests: mutant.tests.slice(1) };

const learn = async (): Promise<UsingTest[]> => {
  const vitest = await startVitest();
  try {
    const files = await vitest.globTestSpecifications(testFolders);
    const learntFrom = files.filter(({ moduleId }) => !moduleId.endsWith(ownWithdrawals));
    return await learnUsage(vitest, learntFrom, {
      needs: needs.map(nameOfNeed),
      file: `${resultsFolder}/usage.json`,
      isTimeLeft: () => seconds() < Number(options.learn) * 60,
    });
  } finally {
    await vitest.close();
  }
};

/** Takes away needs on a stack of their own, until each was noticed or no test is left to try. */
const tryOnNewStack = async (mutants: readonly Mutant[], tests: readonly UsingTest[]): Promise<void> => {
  if (mutants.length === 0 || !isTimeLeft()) return void untried.push(...mutants);
  const vitest = await startVitest();
  try {
    const environment = await stackEnvironmentOf(vitest, tests);
    let pending = [...mutants];
    while (pending.length > 0 && isTimeLeft()) {
      const batch = planBatch(pending);
      const noticed = await runBatch(vitest, environment, batch);
      for (const [name, how] of noticed) results.keep(name, how);
      const tried = new Set(batch.map(({ mutant }) => mutant.name));
      pending = pending
        .filter(({ name }) => !noticed.has(name))
        .map((mutant) => (tried.has(mutant.name) ? afterBatch(mutant, batch.length) : mutant));
      survivors.push(...pending.filter(hasNoTest).map(({ name }) => name));
      pending = pending.filter((mutant) => !hasNoTest(mutant));
      console.log(`${seconds()} s  ${noticed.size} of ${batch.length} noticed, ${pending.length} left`);
    }
    untried.push(...pending);
  } finally {
    await vitest.close();
  }
};

const tests = await learn();
console.log(`Learnt in ${seconds()} s which of ${tests.length} tests use which needs`);
const mutants = needs
  .map((need) => ({ need, name: nameOfNeed(need) }))
  .filter(({ name }) => results.of(name) === undefined)
  .map((mutant) => ({ ...mutant, tests: testsUsing(mutant.name, tests), mustBeAlone: false }));
survivors.push(...mutants.filter(hasNoTest).map(({ name }) => name));
const tested = mutants.filter((mutant) => !hasNoTest(mutant));
// A function that runs keeps the secrets that it has read: only a new one misses them.
const ofSecrets = tested.filter(({ need }) => secretsUsed([need.need]).length > 0);
for (const mutant of ofSecrets) await tryOnNewStack([mutant], tests);
await tryOnNewStack(
  tested.filter((mutant) => !ofSecrets.includes(mutant)),
  tests,
);
for (const name of survivors) console.log(`Not noticed: ${name}`);
const outcomes = needs.map((need) => results.of(nameOfNeed(need)));
const count = (wanted: Noticed): number => outcomes.filter((outcome) => outcome === wanted).length;
console.log(
  `${needs.length} needs: a test failed without ${count('a test failed')}, a call was refused without ` +
    `${count('a call was refused')}, ${survivors.length} not noticed, ${untried.length} not tried (${seconds()} s)`,
);
process.exitCode = survivors.length > 0 ? 1 : 0;
