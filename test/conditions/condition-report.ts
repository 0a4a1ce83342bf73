import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestModule, Vitest } from 'vitest/node';
import { type AcceptedClause, cannotBeRefused } from './cannot-be-refused.ts';
import { conditionsIn } from './mark-conditions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const listFile = '.build/conditions.txt';

/** Each clause that the database evaluated, with the tests in which it was the only one that refused a write. */
export type TestsByClause = ReadonlyMap<string, readonly string[]>;

const testsByClause = (modules: readonly TestModule[]): TestsByClause => {
  const byClause = new Map<string, string[]>();
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { evaluated = [], refused = [] } = test.meta();
      for (const clause of evaluated) byClause.set(clause, byClause.get(clause) ?? []);
      for (const clause of refused) byClause.get(clause)?.push(`${module.relativeModuleId}: ${test.fullName}`);
    }
  }
  return new Map([...byClause].toSorted());
};

/** The place of every condition that the sources declare. */
export const declaredPlaces = (): string[] =>
  globSync('shared/**/*.ts', { cwd: root }).flatMap((path) =>
    conditionsIn(root + path, readFileSync(root + path, 'utf8')).map(({ place }) => place),
  );

const placeOf = (clause: string): string => clause.split(' ')[0] ?? '';

/** A line for each condition that no test covers, and for each reason that is not needed. */
export const problemsOf = (
  byClause: TestsByClause,
  places: readonly string[],
  accepted: readonly AcceptedClause[],
): string[] => {
  const evaluated = new Set([...byClause.keys()].map(placeOf));
  const neverRefused = [...byClause].flatMap(([clause, tests]) => (tests.length === 0 ? [clause] : []));
  const accepts = ({ clauses }: AcceptedClause, clause: string): boolean => clauses.test(clause);
  return [
    ...places
      .filter((place) => !evaluated.has(place))
      .map((place) => `No test of the domain sends the condition that ${place} declares`),
    ...neverRefused
      .filter((clause) => !accepted.some((one) => accepts(one, clause)))
      .map((clause) => `No test of the domain is refused by the condition of ${clause}`),
    ...accepted
      .filter((one) => !neverRefused.some((clause) => accepts(one, clause)))
      .map(({ clauses }) => `No condition needs the reason that ${clauses} has in cannot-be-refused.ts`),
  ];
};

const writeList = (byClause: TestsByClause): void => {
  const lines = [...byClause].flatMap(([clause, tests]) => [clause, ...tests.map((test) => `    ${test}`)]);
  mkdirSync(`${root}.build`, { recursive: true });
  writeFileSync(root + listFile, `${lines.join('\n')}\n`);
};

/**
 * What is wrong with the tests of conditions, a line for each, where a run had every test of the project `database` and all
 * passed. Writes which test covers which condition to `.build/conditions.txt`.
 */
export const conditionProblems = async (vitest: Vitest, modules: readonly TestModule[]): Promise<string[]> => {
  const ran = modules.filter(({ project }) => project.name === 'database');
  if (ran.length === 0 || vitest.config.testNamePattern !== undefined || vitest.config.shard !== undefined) return [];
  const all = (await vitest.globTestSpecifications()).filter(({ project }) => project.name === 'database');
  if (ran.length < all.length || !ran.every((module) => module.ok())) return [];
  const byClause = testsByClause(ran);
  writeList(byClause);
  return problemsOf(byClause, declaredPlaces(), cannotBeRefused);
};
