import { writeTogether } from '../table/transaction.ts';
import { deleteWebhook } from '../webhooks/delete-webhook.ts';
import { allWebhooks } from '../webhooks/repository.ts';
import { addKey, keyRemoval, textOfKey } from './api-keys.ts';
import { apiKeys, ConnectedAlready, getProgram, type StoredApiKey } from './repository.ts';

/** The connection of a program to an automation platform: one token. Specification, "Connector flow". */

/** The connection, or undefined where there is none: `name` is the platform's host, `createdAt` since when. */
export const connectionOf = (programId: string): Promise<StoredApiKey | undefined> =>
  apiKeys.find(programId, 'CONNECTOR', 'TOKEN');

/**
 * The token of a program's connection: made at the first connection, and the same one at every later one, even for two
 * people who connect at the same moment. 404 when the program is gone.
 * @param platform the host that the person was sent from, which the dashboard shows
 */
export const connectorToken = async (programId: string, platform: string, now: Date): Promise<string> => {
  await getProgram(programId);
  const existing = await connectionOf(programId);
  if (existing) return textOfKey(programId, existing);
  try {
    return (await addKey(programId, { name: platform, kind: 'CONNECTOR' }, now)).apiKey;
  } catch (error) {
    if (!(error instanceof ConnectedAlready)) throw error;
    return connectorToken(programId, platform, now);
  }
};

/**
 * Ends a connection: its token first, so that nothing can be subscribed any more, then what it subscribed to. Repeating
 * it finishes what a crash left. Decisions, section 6.
 */
export const disconnect = async (programId: string): Promise<void> => {
  const connection = await connectionOf(programId);
  if (connection) await writeTogether(keyRemoval(programId, connection));
  for (const { id, connection: madeBy } of await allWebhooks(programId))
    if (madeBy === 'CONNECTOR') await deleteWebhook(programId, id);
};
