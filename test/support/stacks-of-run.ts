import type { ProvidedContext } from 'vitest';
import type { Vitest } from 'vitest/node';

/** The stacks that a test run has started: one for each project with a test that needs it. */
export const stacksOfRun = ({ projects }: Vitest): ({ name: string } & ProvidedContext)[] =>
  projects
    .map((project) => ({ name: project.name, ...project.getProvidedContext() }))
    .filter(({ stackEnvironment }) => stackEnvironment !== undefined);
