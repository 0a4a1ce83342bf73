import { setTimeout as sleep } from 'node:timers/promises';
import type { TestSpecification, Vitest } from 'vitest/node';
import { type DeclaredNeed, nameOfNeed } from '../support/declared-needs.ts';
import { permissionsOf, reportPermissions, withdrawPermissions } from '../support/permissions.ts';
import type { Trial } from './plan-batch.ts';
import type { Noticed } from './results.ts';

interface Mutant {
  readonly name: string;
  readonly need: DeclaredNeed;
}

type Environment = Readonly<Record<string, string>>;

/** By then a test has seen the refusal; it ends sooner when what it waits for is no longer refused. */
const graceMilliseconds = 2000;

const withdrawalsOf = (need: DeclaredNeed) =>
  permissionsOf(need.need).map((permission) => ({
    name: nameOfNeed(need),
    functionName: need.functionName,
    ...(need.routes && { routes: [...need.routes] }),
    ...permission,
  }));

/** How many calls each withdrawal has refused, by its name. */
const refusals = async (environment: Environment): Promise<ReadonlyMap<string, number>> => {
  const { refused } = await reportPermissions(environment);
  const counts = new Map<string, number>();
  for (const { withdrawal, count } of refused)
    if (withdrawal !== undefined) counts.set(withdrawal, (counts.get(withdrawal) ?? 0) + count);
  return counts;
};

const specificationsOf = (vitest: Vitest, batch: readonly Trial<Mutant>[]): TestSpecification[] => {
  const project = vitest.projects[0];
  if (!project) throw new Error('There is no test project');
  return [...Map.groupBy(batch, ({ test }) => test.moduleId)].map(([moduleId, trials]) =>
    project.createSpecification(moduleId, { testIds: trials.map(({ test }) => test.testId) }),
  );
};

/** Takes the needs away until each has been missed for a moment, or the tests have ended. Returns which were missed. */
const withdrawWhile = async (
  run: Promise<unknown>,
  batch: readonly Trial<Mutant>[],
  environment: Environment,
): Promise<Set<string>> => {
  const before = await refusals(environment);
  const missedAt = new Map<string, number>();
  let hasEnded = false;
  const ended = run.finally(() => {
    hasEnded = true;
  });
  let withdrawn = batch.map(({ mutant }) => mutant);
  for (;;) {
    const now = await refusals(environment);
    for (const { name } of withdrawn)
      if ((now.get(name) ?? 0) > (before.get(name) ?? 0) && !missedAt.has(name)) missedAt.set(name, Date.now());
    if (hasEnded) return new Set(missedAt.keys());
    const kept = withdrawn.filter(
      ({ name }) =>
        Date.now() - (missedAt.get(name) ?? Number.POSITIVE_INFINITY) < graceMilliseconds || !missedAt.has(name),
    );
    if (kept.length < withdrawn.length) {
      withdrawn = kept;
      await withdrawPermissions(
        environment,
        withdrawn.flatMap(({ need }) => withdrawalsOf(need)),
      );
    }
    await Promise.race([ended, sleep(200)]);
  }
};

/** Takes the needs of a batch away, runs its tests, and returns how each lack that was noticed showed. */
export const runBatch = async (
  vitest: Vitest,
  environment: Environment,
  batch: readonly Trial<Mutant>[],
): Promise<ReadonlyMap<string, Noticed>> => {
  const specifications = specificationsOf(vitest, batch);
  await withdrawPermissions(
    environment,
    batch.flatMap(({ mutant }) => withdrawalsOf(mutant.need)),
  );
  const run = vitest.runTestSpecifications(specifications);
  const missed = await withdrawWhile(run, batch, environment);
  await withdrawPermissions(environment, []);
  const { testModules } = await run;
  const passed = new Set(testModules.flatMap((module) => [...module.children.allTests('passed')].map(({ id }) => id)));
  return new Map(
    batch
      .filter(({ mutant }) => missed.has(mutant.name))
      .map(({ mutant, test }) => [mutant.name, passed.has(test.testId) ? 'a call was refused' : 'a test failed']),
  );
};
