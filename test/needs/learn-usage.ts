import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Reporter, TestCase, Vitest } from 'vitest/node';
import { type FunctionNeed, reportPermissions, usesOf } from '../support/permissions.ts';

/** A test that used a need, and how long it took. */
export interface UsingTest {
  readonly moduleId: string;
  readonly testId: string;
  readonly name: string;
  readonly milliseconds: number;
}

/** The tests that used each need, fastest first; a need by its function and name, such as `sales SALE:create`. */
export type Usage = Readonly<Record<string, readonly UsingTest[]>>;

export const nameOf = ({ functionName, need }: FunctionNeed): string => `${functionName} ${need}`;

/** More would seldom be tried. */
const maxTestsOfNeed = 4;

/** Tells which needs were used since the last time, after each test. */
export const usageReporter = (needs: readonly FunctionNeed[]) => {
  const tests = new Map<string, UsingTest[]>();
  let environment: Readonly<Record<string, string>> = {};
  let before: readonly number[] = needs.map(() => 0);
  let reading = Promise.resolve();
  const read = async (test: TestCase): Promise<void> => {
    const { used } = await reportPermissions(environment);
    const now = usesOf(needs, used);
    const using: UsingTest = {
      moduleId: test.module.moduleId,
      testId: test.id,
      name: test.fullName,
      milliseconds: test.diagnostic()?.duration ?? 0,
    };
    for (const [at, need] of needs.entries()) {
      if ((now[at] ?? 0) <= (before[at] ?? 0)) continue;
      const all = [...(tests.get(nameOf(need)) ?? []), using];
      all.sort((one, other) => one.milliseconds - other.milliseconds);
      tests.set(nameOf(need), all.slice(0, maxTestsOfNeed));
    }
    before = now;
  };
  const reporter: Reporter = {
    onTestCaseResult: (test) => {
      if (test.result().state !== 'passed') return;
      environment = test.project.getProvidedContext().stackEnvironment;
      // One after the other, so that each sees what came since the one before.
      reading = reading.then(() => read(test));
      return reading;
    },
  };
  return { reporter, usage: (): Usage => Object.fromEntries(tests) };
};

/**
 * Runs the tests whose paths hold one of the filters, one after the other, and answers which needs each of them used, or
 * what a run of the same sources found before.
 */
export const learnUsage = async (
  vitest: Vitest,
  usage: () => Usage,
  { file, hash, filters }: { file: string; hash: string; filters: readonly string[] },
): Promise<Usage> => {
  if (existsSync(file)) {
    const kept: { hash: string; usage: Usage } = JSON.parse(readFileSync(file, 'utf8'));
    if (kept.hash === hash) return kept.usage;
  }
  const specifications = await vitest.globTestSpecifications([...filters]);
  for (const [at, specification] of specifications.entries()) {
    console.log(`Learning from file ${at + 1} of ${specifications.length}: ${basename(specification.moduleId)}`);
    await vitest.runTestSpecifications([specification]);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ hash, usage: usage() }));
  return usage();
};
