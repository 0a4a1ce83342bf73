import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { sideBySide } from '../../platform/concurrency/side-by-side.ts';
import { deployedName, documents } from '../../platform/table/client.ts';
import { RecordChanged, whileChanging } from '../../platform/table/record-store.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { type AccessToken, tokenKey } from '../access/token.ts';
import { accountPresence, getAccount } from './accounts.ts';
import { propagateSharing } from './api-keys.ts';
import { allApiKeys, apiKeys, programs, type StoredApiKey } from './repository.ts';

/** How many programs and tokens were rebuilt, and how many keys were deleted while that went on. */
export interface RebuiltTokens {
  programs: number;
  tokens: number;
  deletedMeanwhile: number;
}

const keysAtATime = 10;

class KeyDeleted extends Error {}

/** Writes what a token stands for, whether or not the token is there. Counters that it has stay. */
const tokenWrite = (tokenHash: string, token: AccessToken): Write => {
  const entries = Object.entries(token);
  return {
    Update: {
      TableName: deployedName('traffic'),
      Key: tokenKey(tokenHash),
      UpdateExpression: `SET ${entries.map((_, at) => `#n${at} = :v${at}`).join(', ')}, #counts = if_not_exists(#counts, :none)`,
      ExpressionAttributeNames: {
        '#counts': 'counts',
        ...Object.fromEntries(entries.map(([name], at) => [`#n${at}`, name])),
      },
      ExpressionAttributeValues: {
        ':none': {},
        ...Object.fromEntries(entries.map(([, value], at) => [`:v${at}`, value])),
      },
    },
    refusal: () => new Error('unconditional'),
  };
};

/** Rebuilds one token, under the conditions that its key is there and that all it says is still so. */
const rebuildToken = (programId: string, { id: keyId, kind, tokenHash }: StoredApiKey): Promise<void> =>
  whileChanging(async () => {
    const program = await programs.get(programId, programId);
    const account = program && (await getAccount(program.ownerEmail));
    const changed = () => new RecordChanged(`Program ${programId} changed`);
    const conditions = program
      ? [
          programs.presence(programId, programId, changed, {
            currency: program.currency,
            commissionRate: program.commissionRate,
          }),
          accountPresence(program.ownerEmail, account),
        ]
      : [];
    await writeTogether([
      apiKeys.presence(programId, keyId, () => new KeyDeleted()),
      ...conditions,
      tokenWrite(tokenHash, {
        programId,
        keyId,
        kind,
        plan: account?.plan ?? 'FREE',
        programDeleted: program === undefined,
        currency: program?.currency ?? 'USD',
        commissionRate: program?.commissionRate ?? 0,
        // Until all tokens are there: it is the stricter of the two.
        sharesLimit: true,
      }),
    ]);
  });

/** Rebuilds the tokens of a program from its keys. */
export const rebuildTokensOf = async (programId: string): Promise<RebuiltTokens> => {
  const keys = await allApiKeys(programId);
  let deletedMeanwhile = 0;
  await sideBySide(keys, keysAtATime, async (key) => {
    try {
      await rebuildToken(programId, key);
    } catch (error) {
      if (!(error instanceof KeyDeleted)) throw error;
      deletedMeanwhile += 1;
    }
  });
  await propagateSharing(programId);
  return { programs: 1, tokens: keys.length - deletedMeanwhile, deletedMeanwhile };
};

/**
 * Rebuilds every token of the stack from the keys in the records table, for when the traffic table, which has no backups,
 * was lost. Reads the whole records table, a page at a time. May be run again at any time, also while keys are created and
 * deleted: what a token is and is not follows from the keys alone.
 */
export const rebuildAllTokens = async (): Promise<RebuiltTokens> => {
  const all: RebuiltTokens = { programs: 0, tokens: 0, deletedMeanwhile: 0 };
  let lastProgramId: string | undefined;
  let ExclusiveStartKey: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await documents.send(
      new ScanCommand({
        TableName: deployedName('records'),
        FilterExpression: 'attribute_exists(tokenHash)',
        ProjectionExpression: 'pk',
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    for (const { pk } of page.Items ?? []) {
      const programId = String(pk).split('#')[1] ?? '';
      // The keys of a program lie next to each other.
      if (programId === lastProgramId) continue;
      lastProgramId = programId;
      const rebuilt = await rebuildTokensOf(programId);
      all.programs += 1;
      all.tokens += rebuilt.tokens;
      all.deletedMeanwhile += rebuilt.deletedMeanwhile;
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return all;
};
