import type { TestModule, Vitest } from 'vitest/node';
import type { UsageReport } from '../../infra/local/iam/usage.ts';
import { grantingNeeds, reportPermissions, usedWithoutNeed, usesOf } from './permissions.ts';
import { stacksOfRun } from './stacks-of-run.ts';

/** Whether a run had every test of the project `stack`, and all passed: only then what was not used is not needed. */
const isWholeRun = async (vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> => {
  // Unused needs are reported only for the stack of this project: tests of the other projects use few needs.
  const all = (await vitest.globTestSpecifications()).filter(({ project }) => project.name === 'stack');
  const ran = new Set(modules.filter(({ project }) => project.name === 'stack').map(({ moduleId }) => moduleId));
  const isFiltered = vitest.config.testNamePattern !== undefined || vitest.config.shard !== undefined;
  return !isFiltered && modules.every((module) => module.ok()) && all.every(({ moduleId }) => ran.has(moduleId));
};

/** After a conflict over a new item, a write reads that item where its function may: it needs no permission to. */
const withoutReads = ({ used, refused }: UsageReport): UsageReport => {
  const isNoRead = ({ action }: { action: string }) => action !== 'dynamodb:GetItem';
  return { used: used.filter(isNoRead), refused: refused.filter(isNoRead) };
};

/**
 * What is wrong with the needs of operations, pages and workers, a line for each: a permission that a function lacked, one
 * that it used for an operation that does not need it, and, where `isWhole` says that all tests ran, a need that no test
 * made its operation, page or worker use. So removing any need fails a whole run: its use is then refused or undeclared.
 */
export const problemsIn = (report: UsageReport, isWhole: boolean, hasConflicts = false): string[] => {
  const { used, refused } = hasConflicts ? withoutReads(report) : report;
  const lacked = refused
    .filter(({ withdrawal }) => withdrawal === undefined)
    .map(
      ({ functionName, action, resource, leadingKey, count }) =>
        `${functionName} lacks a need: ${action} on ${[resource, leadingKey].filter(Boolean).join(' ')} was refused ${count} times`,
    );
  const undeclared = usedWithoutNeed(used).map(
    ({ route, action, leadingKeyPattern, resource }) =>
      `${route} lacks a need: ${action} on ${leadingKeyPattern ?? resource} is allowed only for another operation of its function`,
  );
  if (!isWhole) return [...lacked, ...undeclared];
  const needs = grantingNeeds();
  const uses = usesOf(needs, report.used);
  const unused = needs
    .filter((_, at) => uses[at] === 0)
    .map(({ owner, need }) => `${owner} has the need ${need}, which no test uses`);
  return [...lacked, ...undeclared, ...unused];
};

/** The problems that the stacks of a test run have seen. */
export const permissionProblems = async (vitest: Vitest, modules: readonly TestModule[]): Promise<string[]> => {
  // A deployed stack records no usage.
  if (process.env.DEPLOYED_STACK) return [];
  const isWhole = await isWholeRun(vitest, modules);
  const hasConflicts = Boolean(process.env.TEST_CONFLICTS || process.env.TEST_FAULTS);
  const problems = stacksOfRun(vitest).map(async ({ name, stackEnvironment }) => {
    const report = await reportPermissions(stackEnvironment);
    return problemsIn(report, isWhole && name === 'stack', hasConflicts);
  });
  return (await Promise.all(problems)).flat();
};
