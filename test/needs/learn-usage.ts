import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { TestModule, TestSpecification, Vitest } from 'vitest/node';

/** A test with the names of the needs that it used, such as `createSale SALE:create`. */
export interface UsingTest {
  readonly moduleId: string;
  readonly testId: string;
  readonly milliseconds: number;
  /** By the test itself. */
  readonly used: readonly string[];
  /** By the hooks of its file. */
  readonly usedByHooks: readonly string[];
}

interface LearntFile {
  readonly hash: string;
  readonly tests: readonly UsingTest[];
}
type Learnt = Record<string, LearntFile>;

const usingTestsOf = (module: TestModule): UsingTest[] => {
  const tests = [...module.children.allTests('passed')];
  const usedByHooks = [...new Set(tests.flatMap((test) => test.meta().usedBefore ?? []))];
  return tests.map((test) => ({
    moduleId: module.moduleId,
    testId: test.id,
    milliseconds: test.diagnostic()?.duration ?? 0,
    used: test.meta().used ?? [],
    usedByHooks,
  }));
};

const hashOf = ({ moduleId }: TestSpecification): string =>
  createHash('sha256').update(readFileSync(moduleId)).digest('hex').slice(0, 16);

const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;

/**
 * The tests of some files with the needs that they use: runs each file alone, unless it was learnt from before and has not
 * changed since. What changed elsewhere may make this untrue, but only which tests are tried for a need depends on it. The
 * largest files come last, and are not run when each of the needs has a test by then.
 *
 * @param file keeps what was learnt
 * @param isTimeLeft whether to go on with the next file
 */
export const learnUsage = async (
  vitest: Vitest,
  specifications: readonly TestSpecification[],
  { needs, file, isTimeLeft }: { needs: readonly string[]; file: string; isTimeLeft: () => boolean },
): Promise<UsingTest[]> => {
  const learnt: Learnt = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  mkdirSync(dirname(file), { recursive: true });
  const smallestFirst = specifications.toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const isCurrent = (one: TestSpecification): boolean => learnt[one.moduleId]?.hash === hashOf(one);
  const known = (): UsingTest[] => smallestFirst.filter(isCurrent).flatMap((one) => learnt[one.moduleId]?.tests ?? []);
  for (const specification of smallestFirst.filter((one) => !isCurrent(one))) {
    const { moduleId } = specification;
    const hash = hashOf(specification);
    const used = new Set(known().flatMap((test) => test.used));
    const missing = needs.filter((need) => !used.has(need));
    if (missing.length === 0 || !isTimeLeft()) break;
    const first = missing.slice(0, 3).join(', ');
    console.log(`${missing.length} needs have no test yet (${first}). Learning from ${basename(moduleId)}`);
    const { testModules } = await vitest.runTestSpecifications([specification]);
    learnt[moduleId] = {
      hash,
      tests: testModules.filter((module) => module.moduleId === moduleId).flatMap(usingTestsOf),
    };
    writeFileSync(file, JSON.stringify(learnt));
  }
  return known();
};
