import { startDatabase } from '../../support/database.ts';

let started: ReturnType<typeof startDatabase> | undefined;

/** One for all parts: the clients of the tables keep the address that they found first. */
export const useDatabase = async (): Promise<void> => {
  started ??= startDatabase();
  const { environment } = await started;
  Object.assign(process.env, environment);
};

export const stopDatabase = async (): Promise<void> => {
  const database = await started;
  await database?.stop();
};
