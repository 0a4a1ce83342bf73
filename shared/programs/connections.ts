import { ApiError } from '../contract/errors.ts';
import { whileChanging } from '../table/record-store.ts';
import { writeTogether } from '../table/transaction.ts';
import { getAccount } from './accounts.ts';
import { apiKeyText } from './key-copies.ts';
import { newKey } from './programs.ts';
import { apiKeys, findConnection, getProgram, programs, type StoredApiKey } from './repository.ts';

/** Notes that another platform was given the token. */
const addPlatform = async (programId: string, connection: StoredApiKey, platform: string, now: Date) => {
  const { platforms = [] } = connection;
  if (platforms.includes(platform)) return;
  const changed = { ...connection, platforms: [...platforms, platform], updatedAt: now.toISOString() };
  await writeTogether(apiKeys.change(programId, connection, changed));
};

/**
 * The connector token of a program: made on the first connection and the same on every later one, also when several
 * connect at once. `platform` is the host that it is for. Specification, "Connector flow", steps 3 and 5.
 */
export const connectorToken = (programId: string, platform: string, now: Date): Promise<string> =>
  whileChanging(async () => {
    const connection = await findConnection(programId);
    if (connection) {
      await addPlatform(programId, connection, platform, now);
      const token = await apiKeyText(programId, connection);
      if (!token) throw new Error('The copy of the connector token cannot be read');
      return token;
    }
    const program = await getProgram(programId);
    const account = await getAccount(program.ownerEmail);
    const { apiKey, writes } = await newKey(program, account?.plan ?? 'FREE', 'Connector token', now, platform);
    const present = programs.presence(programId, programId, () => new ApiError('program_not_found'));
    await writeTogether([present, ...writes]);
    return apiKey;
  });
