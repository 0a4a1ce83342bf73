import type { TestModule, Vitest } from 'vitest/node';
import { functionNeeds, permissionsOf, reportPermissions, usesOf } from './permissions.ts';

/** Whether a run was one of every test, and all passed: only then what was not used is not needed. */
const isWholeRun = async (vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> => {
  const all = await vitest.globTestSpecifications();
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  const isFiltered = vitest.config.testNamePattern !== undefined || vitest.config.shard !== undefined;
  return !isFiltered && modules.every((module) => module.ok()) && all.every(({ moduleId }) => ran.has(moduleId));
};

/**
 * What is wrong with the needs of the functions, as the stack of a test run saw it: each permission that a function
 * lacked, and, after a run of all tests, each need that no test used. A line for each.
 */
export const permissionProblems = async (vitest: Vitest, modules: readonly TestModule[]): Promise<string[]> => {
  const { stackEnvironment } = vitest.projects[0]?.getProvidedContext() ?? {};
  // Without a test file there is no stack either.
  if (!stackEnvironment) return [];
  const { used, refused } = await reportPermissions(stackEnvironment);
  const lacked = refused
    .filter(({ isWithdrawn }) => !isWithdrawn)
    .map(
      ({ functionName, action, resource, leadingKey, count }) =>
        `${functionName} lacks a need: ${action} on ${[resource, leadingKey].filter(Boolean).join(' ')} was refused ${count} times`,
    );
  if (!(await isWholeRun(vitest, modules))) return lacked;
  const needs = functionNeeds().filter(({ need }) => permissionsOf(need).length > 0);
  const uses = usesOf(needs, used);
  const unused = needs
    .filter((_, at) => uses[at] === 0)
    .map(({ functionName, need }) => `${functionName} has the need ${need}, which no test uses`);
  return [...lacked, ...unused];
};
