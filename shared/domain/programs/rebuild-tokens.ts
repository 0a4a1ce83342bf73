import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { scanItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { type AccessToken, tokenKey } from '../access/token.ts';
import { accountPlanCheck, getAccount } from './accounts.ts';
import { allApiKeys, apiKeys, programs, type StoredApiKey } from './repository.ts';
import { reviewsSales } from './review-rules.ts';
import { propagateSharing, sharingOf } from './shared-limit.ts';

export interface RebuiltTokens {
  programs: number;
  tokens: number;
  deletedMeanwhile: number;
}

const keysAtATime = 10;

class KeyDeleted extends Error {}

/** Keeps the counters of an existing token, and whether it shares its limit. */
const tokenWrite = (tokenHash: string, token: AccessToken): Write => {
  const entries = Object.entries(token);
  return {
    Update: {
      TableName: deployedName('traffic'),
      Key: tokenKey(tokenHash),
      UpdateExpression: `SET ${entries.map(([name], at) => `#n${at} = ${name === 'sharesLimit' ? `if_not_exists(#n${at}, :v${at})` : `:v${at}`}`).join(', ')}, #counts = if_not_exists(#counts, :none)`,
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

/** Conditional on the key and everything that the token says. */
const rebuildToken = (
  programId: string,
  { id: keyId, kind, tokenHash }: StoredApiKey,
  sharesLimit: boolean,
): Promise<void> =>
  retryOnConflict(async () => {
    const program = await programs.get(programId, programId);
    const account = program && (await getAccount(program.ownerEmail));
    const changed = () => new ConcurrentModificationError(`Program ${programId} changed`);
    const conditions = program
      ? [
          programs.existsCheck(programId, programId, changed, { version: program.version }),
          accountPlanCheck(program.ownerEmail, account),
        ]
      : [];
    await writeTogether([
      apiKeys.existsCheck(programId, keyId, () => new KeyDeleted()),
      ...conditions,
      tokenWrite(tokenHash, {
        programId,
        keyId,
        kind,
        plan: account?.plan ?? 'FREE',
        programDeleted: program === undefined,
        currency: program?.currency ?? 'USD',
        commissionRate: program?.commissionRate ?? 0,
        timeZone: program?.timeZone ?? 'UTC',
        reviewsSales: program !== undefined && reviewsSales(program),
        sharesLimit,
      }),
    ]);
  });

export const rebuildTokensOf = async (programId: string): Promise<RebuiltTokens> => {
  const keys = await allApiKeys(programId);
  const { sharesLimit } = sharingOf(keys.length, 0, new Date());
  let deletedMeanwhile = 0;
  await forEachConcurrent(keys, keysAtATime, async (key) => {
    try {
      await rebuildToken(programId, key, sharesLimit);
    } catch (error) {
      if (!(error instanceof KeyDeleted)) throw error;
      deletedMeanwhile += 1;
    }
  });
  await propagateSharing(programId, new Date());
  return { programs: 1, tokens: keys.length - deletedMeanwhile, deletedMeanwhile };
};

/** After a loss of the traffic table. Reads the whole records table; can be repeated. */
export const rebuildAllTokens = async (): Promise<RebuiltTokens> => {
  const all: RebuiltTokens = { programs: 0, tokens: 0, deletedMeanwhile: 0 };
  let lastProgramId: string | undefined;
  const keys = scanItems('records', {
    FilterExpression: 'attribute_exists(tokenHash)',
    ProjectionExpression: 'pk',
    ConsistentRead: true,
  });
  for await (const { pk } of keys) {
    const programId = String(pk).split('#')[1] ?? '';
    // The keys of a program lie next to each other.
    if (programId === lastProgramId) continue;
    lastProgramId = programId;
    const rebuilt = await rebuildTokensOf(programId);
    all.programs += 1;
    all.tokens += rebuilt.tokens;
    all.deletedMeanwhile += rebuilt.deletedMeanwhile;
  }
  return all;
};
