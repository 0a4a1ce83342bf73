import type { UsingTest } from './learn-usage.ts';

/** A need that is taken away, and the test that should notice. */
export interface Trial<Mutant> {
  readonly mutant: Mutant;
  readonly test: UsingTest;
}

/** A need that nothing has noticed yet: its name, and the tests that are still to be tried, the best first. */
export interface Pending {
  readonly name: string;
  readonly tests: readonly UsingTest[];
  /** Whether its test ran beside others in vain: what those lacked may have ended it early. */
  readonly mustBeAlone: boolean;
}

/** More would make the wait for the slowest test long. */
const maxTrials = 24;

const uses = (test: UsingTest, name: string): boolean => test.used.includes(name) || test.usedByHooks.includes(name);

/** Needs that can be taken away at the same time: the test of each uses none of the others. */
export const planBatch = <Mutant extends Pending>(pending: readonly Mutant[]): Trial<Mutant>[] => {
  const batch: Trial<Mutant>[] = [];
  for (const mutant of pending) {
    if (mutant.mustBeAlone) {
      const [test] = mutant.tests;
      if (batch.length === 0 && test) return [{ mutant, test }];
      continue;
    }
    if (batch.some(({ test }) => uses(test, mutant.name))) continue;
    const test = mutant.tests.find((one) =>
      batch.every((other) => other.test.testId !== one.testId && !uses(one, other.mutant.name)),
    );
    if (test) batch.push({ mutant, test });
    if (batch.length === maxTrials) break;
  }
  return batch;
};

/** Many of those that use a need in the background only happen to run meanwhile. */
const maxTestsOfNeed = 20;

/** The tests that used a need: those that did so themselves first, then those whose hooks did; each fastest first. */
export const testsUsing = (name: string, tests: readonly UsingTest[]): UsingTest[] => {
  const rank = ({ used }: UsingTest): number => (used.includes(name) ? 0 : 1);
  return tests
    .filter((test) => uses(test, name))
    .sort((one, other) => rank(one) - rank(other) || one.milliseconds - other.milliseconds)
    .slice(0, maxTestsOfNeed);
};
