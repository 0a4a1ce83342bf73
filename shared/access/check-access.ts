import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { deployedName, documents } from '../table/client.ts';
import { retryPassing } from '../table/transaction.ts';
import { allowedInWindow, type Usage, usageOf, windowMilliseconds, windowOf } from './rate-limit.ts';
import { AccessToken, tokenKey, unknownTokenKey } from './token.ts';

export type AccessVerdict =
  | { kind: 'known'; token: AccessToken; usage: Usage }
  | { kind: 'unknown'; usage: Usage }
  | { kind: 'limited'; usage: Usage };

interface Counting {
  tokenHash: string;
  /** What is counted: method and path. */
  endpoint: string;
  limitPerMinute: number;
  now: Date;
}

type Item = Record<string, unknown>;

const counterPrefix = 'count ';
const counterName = (endpoint: string, window: number): string => `${counterPrefix}${endpoint} ${window}`;
const countIn = (item: Item, name: string): number => {
  const count = item[name];
  return typeof count === 'number' ? count : 0;
};

// The count of a minute that is over never changes again, so a warm function may remember it.
const pastCounts = new Map<string, number>();
// Counters of minutes long past, seen on an item, which the next request on it removes.
const staleCounters = new Map<string, string[]>();
const mostRemembered = 10_000;

const remember = <Value>(memory: Map<string, Value>, key: string, value: Value): void => {
  if (memory.size >= mostRemembered) memory.clear();
  memory.set(key, value);
};

interface Counted {
  item: Item | undefined;
  allowed: boolean;
  usage: Usage;
}

const count = async (
  key: { pk: string; sk: string },
  { endpoint, limitPerMinute, now }: Counting,
  options: { mustExist: boolean },
): Promise<Counted> => {
  const window = windowOf(now);
  const current = counterName(endpoint, window);
  const previous = counterName(endpoint, window - 1);
  const rememberedPrevious = pastCounts.get(`${key.pk} ${previous}`) ?? 0;
  const allowed = allowedInWindow(limitPerMinute, rememberedPrevious, now);
  const stale = staleCounters.get(key.pk) ?? [];
  const names: Record<string, string> = { '#current': current };
  for (const [at, name] of stale.entries()) names[`#stale${at}`] = name;
  const removal = stale.length > 0 ? ` REMOVE ${stale.map((_, at) => `#stale${at}`).join(', ')}` : '';
  const within = allowed > 0 ? '(attribute_not_exists(#current) OR #current < :allowed)' : '#current < :allowed';
  if (!options.mustExist) names['#ttl'] = 'ttl';
  const expiry = options.mustExist ? '' : ' SET #ttl = :ttl';
  const command = new UpdateCommand({
    TableName: deployedName('traffic'),
    Key: key,
    UpdateExpression: `ADD #current :one${expiry}${removal}`,
    ConditionExpression: options.mustExist ? `attribute_exists(pk) AND ${within}` : within,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: {
      ':one': 1,
      ':allowed': allowed,
      ...(!options.mustExist && { ':ttl': Math.ceil((now.getTime() + 3 * windowMilliseconds) / 1000) }),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const judge = (item: Item, wasCounted: boolean): Counted => {
    const before = countIn(item, previous);
    remember(pastCounts, `${key.pk} ${previous}`, before);
    const old = Object.keys(item).filter(
      (name) => name.startsWith(counterPrefix) && Number(name.slice(name.lastIndexOf(' '))) < window - 1,
    );
    if (old.length > 0) remember(staleCounters, key.pk, old.slice(0, 50));
    else staleCounters.delete(key.pk);
    const currentCount = countIn(item, current);
    const fits = wasCounted && currentCount <= allowedInWindow(limitPerMinute, before, now);
    return { item, allowed: fits, usage: usageOf(limitPerMinute, before, currentCount, now) };
  };
  try {
    const answer = await retryPassing(() => documents.send(command));
    return judge(answer.Attributes ?? {}, true);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item) return judge(unmarshall(error.Item), false);
    return { item: undefined, allowed: false, usage: usageOf(limitPerMinute, 0, limitPerMinute, now) };
  }
};

/**
 * Authenticates a token and counts the request against its limit, in one conditional write. A token that does not
 * exist is counted on an item of its own, so that a wrong key gets 429 before 401. Decisions 1.12 and section 5.
 */
export const checkAccess = async (counting: Counting): Promise<AccessVerdict> => {
  const known = await count(tokenKey(counting.tokenHash), counting, { mustExist: true });
  if (known.item) {
    if (!known.allowed) return { kind: 'limited', usage: known.usage };
    return { kind: 'known', token: AccessToken.parse(known.item), usage: known.usage };
  }
  const unknown = await count(unknownTokenKey(counting.tokenHash), counting, { mustExist: false });
  return { kind: unknown.allowed ? 'unknown' : 'limited', usage: unknown.usage };
};
