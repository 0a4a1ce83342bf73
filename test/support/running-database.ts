import type { TestProject } from 'vitest/node';
import { startDatabase } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The environment of a function that has both tables and the secrets, but no queue. */
    databaseEnvironment: Record<string, string>;
  }
}

/** Starts the embedded database once for all test files of the project `database`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { environment, stop } = await startDatabase();
  project.provide('databaseEnvironment', environment);
  return stop;
}
