import { ApiError } from '../../contract/errors.ts';
import { removeKey } from '../../domain/programs/api-keys.ts';
import { findConnection } from '../../domain/programs/repository.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { allSubscriptions, unsubscribe } from './subscriptions.ts';

const unlessGone = (error: unknown): void => {
  if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
};

/** The token first, so that nothing new is subscribed; can be repeated. docs/behavior.md#disconnecting */
export const disconnect = async (programId: string, now: Date): Promise<void> => {
  await retryOnConflict(async () => {
    const connection = await findConnection(programId);
    if (connection) await removeKey(programId, connection, now);
  });
  for (const { id } of await allSubscriptions(programId)) await unsubscribe(programId, id, now).catch(unlessGone);
};
