import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { TrafficKind } from '../../../shared/contract/needs.ts';
import { type RebuiltTokens, rebuildAllTokens } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { forEachConcurrent } from '../../../shared/platform/concurrency/for-each-concurrent.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { chunksOf, type Item, kindOf, patientClient } from '../items.ts';
import { RestoreCheck } from './check.ts';
import type { Source } from './source.ts';

export interface RestoredTraffic {
  items: number;
  kinds: ReturnType<RestoreCheck['result']>;
  /** Items that were written since the loss and are not changed. */
  conflicts: number;
  tokens: number;
}

/** What comes back. Attempts in flight have ended since; keys are rebuilt from the records, and counters begin anew. */
const isRestored: Readonly<Record<TrafficKind, boolean>> = {
  EVENT: true,
  FEED: true,
  DELIVERY: true,
  IDEMPOTENCY: true,
  COUNTED: true,
  UNCOUNTED: true,
  IN_FLIGHT: false,
  VISIT: true,
  PORTAL_SESSION: true,
  // With them, no mail is sent twice.
  MAIL: true,
};
const restoredKinds: readonly string[] = Object.entries(isRestored).flatMap(([kind, is]) => (is ? [kind] : []));

const maxConcurrency = 25;
const itemsInChunk = 500;

/**
 * Copies what is in a copy of a lost traffic table to the new one, and has every key work again. Can be repeated.
 * docs/operations.md#a-lost-table
 */
export const restoreTraffic = async (
  source: Source,
  now: Date,
  rebuildTokens: () => Promise<RebuiltTokens> = rebuildAllTokens,
): Promise<RestoredTraffic> => {
  const client = patientClient();
  const TableName = deployedName('traffic');
  let [items, conflicts] = [0, 0];
  const put = async (item: Item): Promise<void> => {
    try {
      await client.send(
        new PutItemCommand({
          TableName,
          Item: item,
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      items += 1;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (!isDeepStrictEqual(error.Item, item)) conflicts += 1;
    }
  };
  const check = new RestoreCheck('traffic');
  const isExpired = ({ ttl }: Item): boolean => ttl !== undefined && Number(ttl.N) * 1000 < now.getTime();
  for await (const chunk of chunksOf(source.items(), itemsInChunk)) {
    const wanted = chunk.filter((item) => restoredKinds.includes(kindOf(item)));
    await forEachConcurrent(
      wanted.filter((item) => !isExpired(item)),
      maxConcurrency,
      put,
    );
    await check.add(wanted.map((item) => ({ item, leftOut: isExpired(item) ? ('expired' as const) : undefined })));
  }
  const kinds = check.result();
  // Last: until then keys get 401, so that nobody writes in between.
  const { tokens } = await rebuildTokens();
  return { items, kinds, conflicts, tokens };
};
