import { whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { addKey, apiKeyText } from './api-keys.ts';
import { apiKeys, findConnection, getProgram, type StoredApiKey } from './repository.ts';

/** The connection of a program to automation platforms: one token. Specification, "Connector flow". */

/** Notes that another platform was given the token. */
const addPlatform = async (programId: string, connection: StoredApiKey, platform: string, now: Date): Promise<void> => {
  const { platforms } = connection;
  if (platforms.includes(platform)) return;
  const changed = { ...connection, platforms: [...platforms, platform], updatedAt: now.toISOString() };
  await writeTogether(apiKeys.change(programId, connection, changed));
};

/**
 * The connector token of a program: made on the first connection and the same on every later one, also when several
 * connect at once. `platform` is the host that it is for, which the dashboard shows. 404 when the program is gone.
 * Specification, "Connector flow", steps 3 and 5.
 */
export const connectorToken = (programId: string, platform: string, now: Date): Promise<string> =>
  whileChanging(async () => {
    await getProgram(programId);
    const connection = await findConnection(programId);
    if (!connection) {
      const purpose = { name: 'Connector token', kind: 'CONNECTOR' as const, platforms: [platform] };
      return (await addKey(programId, purpose, now)).apiKey;
    }
    await addPlatform(programId, connection, platform, now);
    return apiKeyText(programId, connection);
  });
