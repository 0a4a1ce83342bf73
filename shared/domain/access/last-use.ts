import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems } from '../../platform/table/items.ts';
import { StoredCounts } from './count-request.ts';
import { lastMinuteOf } from './rate-limit.ts';
import { tokenKey } from './token.ts';

/** When tokens were last used, to the minute, by their hashes: from the counters that a request writes anyway. */
export const readLastUses = async (tokenHashes: readonly string[]): Promise<Map<string, string>> => {
  const keys = tokenHashes.map(tokenKey);
  const items = await batchGetItems(deployedName('traffic'), keys, { isConsistent: false, attributes: 'pk, counts' });
  const minutes = new Map(items.map(({ pk, counts }) => [pk, lastMinuteOf(StoredCounts.parse(counts ?? {}))]));
  return new Map(
    tokenHashes.flatMap((hash) => {
      const at = minutes.get(tokenKey(hash).pk);
      return at ? [[hash, at.toISOString()] as const] : [];
    }),
  );
};
