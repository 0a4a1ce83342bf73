import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { functionSources, sourceHash } from '../../infra/source-hash.ts';
import {
  type FunctionNeed,
  functionNeeds,
  permissionsOf,
  reportPermissions,
  withdrawPermissions,
} from '../support/permissions.ts';
import { learnUsage, nameOf, type UsingTest, usageReporter } from './learn-usage.ts';

// Takes every need from every function, one at a time, on one running stack, and runs a test that used it: each must be
// noticed. `--sample 10` takes as many, evenly spread; `--function sales` those of one function; `--minutes 10` ends soon
// after. With parts of paths, such as `test/api/coupons`, only those tests run, for the needs that they use.

const { values: options, positionals } = parseArgs({
  options: { sample: { type: 'string' }, function: { type: 'string' }, minutes: { type: 'string' } },
  allowPositionals: true,
});
const filters = positionals.length > 0 ? positionals : ['test/api/', 'test/connector/', 'test/web/', 'test/webhooks/'];

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A test that waits for background work may wait long for what never comes. The refusal tells enough by then. */
const graceMilliseconds = 3000;

type Outcome = 'a test failed' | 'the call was refused' | 'not noticed';
type Environment = Readonly<Record<string, string>>;

const withdrawnCalls = async (environment: Environment): Promise<number> =>
  (await reportPermissions(environment)).refused
    .filter(({ isWithdrawn }) => isWithdrawn)
    .reduce((sum, { count }) => sum + count, 0);

const specificationOf = (vitest: Vitest, { moduleId, testId }: UsingTest): TestSpecification => {
  const project = vitest.projects[0];
  if (!project) throw new Error('There is no test project');
  return project.createSpecification(moduleId, { testIds: [testId] });
};

/** Runs one test while a need is withdrawn. */
const runMutant = async (vitest: Vitest, need: FunctionNeed, test: UsingTest): Promise<Outcome> => {
  const specification = specificationOf(vitest, test);
  const environment = specification.project.getProvidedContext().stackEnvironment;
  const { functionName } = need;
  const before = await withdrawnCalls(environment);
  await withdrawPermissions(
    environment,
    permissionsOf(need.need).map((permission) => ({ functionName, ...permission })),
  );
  let hasEnded = false;
  const run = vitest.runTestSpecifications([specification]).then((result) => {
    hasEnded = true;
    return result;
  });
  let refusedAt: number | undefined;
  while (!hasEnded) {
    await Promise.race([run, sleep(100)]);
    if (refusedAt === undefined && (await withdrawnCalls(environment)) > before) refusedAt = Date.now();
    // The need comes back, so that what waits for it ends soon.
    if (refusedAt !== undefined && Date.now() - refusedAt > graceMilliseconds)
      await withdrawPermissions(environment, []);
  }
  const { testModules, unhandledErrors } = await run;
  await withdrawPermissions(environment, []);
  if (unhandledErrors.length > 0 || testModules.some((module) => !module.ok())) return 'a test failed';
  return refusedAt !== undefined || (await withdrawnCalls(environment)) > before
    ? 'the call was refused'
    : 'not noticed';
};

const chosen = (needs: readonly FunctionNeed[]): FunctionNeed[] => {
  const wanted = needs.filter(({ functionName }) => !options.function || functionName === options.function);
  const count = Math.min(Number(options.sample ?? wanted.length), wanted.length);
  return Array.from({ length: count }, (_, at) => wanted[Math.floor((at * wanted.length) / count)]).filter(
    (need) => need !== undefined,
  );
};

const needs = functionNeeds().filter(({ need }) => permissionsOf(need).length > 0);
const { reporter, usage } = usageReporter(needs);
const vitest = await createVitest('test', {
  root,
  watch: false,
  fileParallelism: false,
  maxWorkers: 1,
  reporters: [reporter],
});
await vitest.standalone();

const outcomes: Record<Outcome, string[]> = { 'a test failed': [], 'the call was refused': [], 'not noticed': [] };
const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
try {
  const learnt = await learnUsage(vitest, usage, {
    file: join(root, '.build', 'needs', 'usage.json'),
    hash: sourceHash([...functionSources, 'infra/**/*', 'test/**/*'], filters),
    filters,
  });
  // The stack starts with the first test: where nothing had to be learnt, none has run yet.
  const [first] = Object.values(learnt)[0] ?? [];
  if (first) await vitest.runTestSpecifications([specificationOf(vitest, first)]);
  console.log(`Learnt in ${seconds()} s which tests use which needs`);
  const isTried = (need: FunctionNeed): boolean => positionals.length === 0 || nameOf(need) in learnt;
  for (const need of chosen(needs.filter(isTried))) {
    if (seconds() > Number(options.minutes ?? 600) * 60) break;
    let outcome: Outcome = 'not noticed';
    for (const test of learnt[nameOf(need)] ?? []) {
      outcome = await runMutant(vitest, need, test);
      if (outcome !== 'not noticed') break;
    }
    outcomes[outcome].push(nameOf(need));
    console.log(`${seconds()} s  ${nameOf(need)}: ${outcome}`);
  }
} finally {
  await vitest.close();
}
const counts = Object.entries(outcomes).map(([outcome, mutants]) => `${mutants.length} ${outcome}`);
console.log(`${Object.values(outcomes).flat().length} needs removed in ${seconds()} s: ${counts.join(', ')}`);
process.exitCode = outcomes['not noticed'].length > 0 ? 1 : 0;
