import { retryOnConflict } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { addKey, apiKeyText } from './api-keys.ts';
import { apiKeys, findConnection, getProgram, type StoredApiKey } from './repository.ts';

const addPlatform = async (programId: string, connection: StoredApiKey, platform: string, now: Date): Promise<void> => {
  const { platforms } = connection;
  if (platforms.includes(platform)) return;
  const changed = { ...connection, platforms: [...platforms, platform], updatedAt: now.toISOString() };
  await writeTogether(apiKeys.updateWrites(programId, connection, changed));
};

/** Created once, even if several connect at once; 404 if the program is gone. docs/behavior.md#connecting-a-platform */
export const connectorToken = (
  programId: string,
  platform: string,
  now: Date,
  createdBy: string | null = null,
): Promise<string> =>
  retryOnConflict(async () => {
    await getProgram(programId);
    const connection = await findConnection(programId);
    if (!connection) {
      const purpose = { name: 'Connector token', kind: 'CONNECTOR' as const, platforms: [platform], createdBy };
      return (await addKey(programId, purpose, now)).apiKey;
    }
    await addPlatform(programId, connection, platform, now);
    return apiKeyText(programId, connection);
  });
