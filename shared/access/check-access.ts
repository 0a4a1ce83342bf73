import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { deployedName, documents } from '../table/client.ts';
import { retryTransient } from '../table/retry-transient.ts';
import { forgottenAtSeconds, slicesAt, type Usage, usageOf } from './rate-limit.ts';
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
const counterName = (endpoint: string, slice: number): string => `${counterPrefix}${endpoint} ${slice}`;

const countsOf = (item: Item, endpoint: string, slices: readonly number[]): number[] =>
  slices.map((slice) => {
    const count = item[counterName(endpoint, slice)];
    return typeof count === 'number' ? count : 0;
  });

/** Counters that weigh no more, of any endpoint. An expression can name so many and no more. */
const forgottenCounters = (item: Item, slices: readonly number[]): string[] =>
  Object.keys(item)
    .filter((name) => name.startsWith(counterPrefix))
    .filter((name) => Number(name.slice(name.lastIndexOf(' '))) < (slices[0] ?? 0))
    .slice(0, 50);

// Items as this function last saw them: what a request beyond the limit is refused by without a write, and the forgotten
// counters that the next request removes. What lets a request pass is only ever the item that its own write answers.
const lastSeen = new Map<string, Item>();
const mostRemembered = 10_000;

const remember = (pk: string, item: Item): void => {
  if (lastSeen.size >= mostRemembered) lastSeen.clear();
  lastSeen.set(pk, item);
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
  const slices = slicesAt(now);
  const seen = lastSeen.get(key.pk) ?? {};
  // Slices before this one can only hold more than they did when they were seen.
  const before = countsOf(seen, endpoint, slices.slice(0, -1)).reduce((sum, inSlice) => sum + inSlice, 0);
  const allowed = limitPerMinute - before;
  const forgotten = forgottenCounters(seen, slices);
  const names: Record<string, string> = { '#current': counterName(endpoint, slices.at(-1) ?? 0) };
  for (const [at, name] of forgotten.entries()) names[`#forgotten${at}`] = name;
  const removal = forgotten.length > 0 ? ` REMOVE ${forgotten.map((_, at) => `#forgotten${at}`).join(', ')}` : '';
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
      ...(!options.mustExist && { ':ttl': forgottenAtSeconds(now) }),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const judge = (item: Item, wasCounted: boolean): Counted => {
    remember(key.pk, item);
    const counts = countsOf(item, endpoint, slices);
    const total = counts.reduce((sum, inSlice) => sum + inSlice, 0);
    return { item, allowed: wasCounted && total <= limitPerMinute, usage: usageOf(limitPerMinute, counts, now) };
  };
  try {
    const answer = await retryTransient(() => documents.send(command));
    return judge(answer.Attributes ?? {}, true);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item) return judge(unmarshall(error.Item), false);
    lastSeen.delete(key.pk);
    return { item: undefined, allowed: false, usage: usageOf(limitPerMinute, [], now) };
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
