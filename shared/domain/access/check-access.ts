import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { bounds } from '../../contract/bounds.ts';
import { deployedName, documents } from '../../platform/table/client.ts';
import { type Counted, countRequest, lastSeenItem, lastSeenUsage } from './count-request.ts';
import type { Usage } from './rate-limit.ts';
import { RecentlySeen } from './recently-seen.ts';
import { clientBlock } from './source-address.ts';
import { AccessToken, sharedLimitKey, tokenKey, unknownTokensKey } from './token.ts';

export type AccessVerdict =
  | { kind: 'known'; token: AccessToken; usage: Usage }
  | { kind: 'unknown'; usage: Usage }
  | { kind: 'limited'; usage: Usage };

interface Request {
  tokenHash: string;
  sourceIp: string;
  /** What is counted: the method, and the path that an operation has on every surface. */
  endpoint: string;
  limitPerMinute: number;
  now: Date;
}

/** All requests with unknown tokens count together, whatever they ask for. */
const anyEndpoint = 'unknown token';

/**
 * Address blocks that unknown tokens have come from lately. For the first unknown token of a block, the failed condition
 * of its count is a write too; after it, tokens that this function has not seen are read first.
 */
const suspects = new RecentlySeen<true>(10_000);

const unknownUsage = ({ sourceIp, limitPerMinute, now }: Omit<Request, 'tokenHash' | 'endpoint'>): Usage =>
  lastSeenUsage(unknownTokensKey(clientBlock(sourceIp)), { endpoint: anyEndpoint, limitPerMinute, now });

const exists = async (tokenHash: string, isConsistent: boolean): Promise<boolean> => {
  const { Item } = await documents.send(
    new GetCommand({
      TableName: deployedName('traffic'),
      Key: tokenKey(tokenHash),
      ProjectionExpression: 'pk',
      ConsistentRead: isConsistent,
    }),
  );
  return Item !== undefined;
};

/** The same request as it counts for a program whose keys share a limit. */
const sharedRequest = (request: Request): Request => ({
  ...request,
  limitPerMinute: bounds.keysWithWholeRateLimit * request.limitPerMinute,
});

const countShared = (programId: string, request: Request): Promise<Counted> =>
  countRequest(sharedLimitKey(programId), sharedRequest(request), { mustExist: false });

/** What is left of two limits: as much as the tighter one leaves. */
const tighter = (key: Usage, program: Usage): Usage => ({
  limitPerMinute: key.limitPerMinute,
  remaining: Math.min(key.remaining, program.remaining),
  resetSeconds: (program.remaining < key.remaining ? program : key).resetSeconds,
  retryAfterSeconds: Math.max(key.retryAfterSeconds, program.retryAfterSeconds),
});

/** Authenticates and counts a token that may exist; undefined when it does not. */
const checkToken = async (request: Request): Promise<AccessVerdict | undefined> => {
  const key = tokenKey(request.tokenHash);
  const seen = AccessToken.safeParse(lastSeenItem(key)).data;
  if (seen?.sharesLimit) {
    const program = lastSeenUsage(sharedLimitKey(seen.programId), sharedRequest(request));
    const usage = tighter(lastSeenUsage(key, request), program);
    // Neither counter grows by what the other refuses.
    if (usage.remaining === 0) return { kind: 'limited', usage };
  }
  const [counted, countedBeside] = await Promise.all([
    countRequest(key, request, { mustExist: true }),
    seen?.sharesLimit ? countShared(seen.programId, request) : undefined,
  ]);
  if (!counted.item) return undefined;
  const token = AccessToken.parse(counted.item);
  if (!token.sharesLimit || !counted.isAllowed) return verdict(counted, token);
  const shared = countedBeside ?? (await countShared(token.programId, request));
  const usage = tighter(counted.usage, shared.usage);
  return verdict({ isAllowed: counted.isAllowed && shared.isAllowed, usage }, token);
};

const verdict = ({ isAllowed, usage }: Pick<Counted, 'isAllowed' | 'usage'>, token: AccessToken): AccessVerdict =>
  isAllowed ? { kind: 'known', token, usage } : { kind: 'limited', usage };

/** Whether a token is worth an attempt to count it, which costs a write unit even when the token does not exist. */
const mayExist = async (request: Request): Promise<boolean> => {
  const block = clientBlock(request.sourceIp);
  if (lastSeenItem(tokenKey(request.tokenHash)) || !suspects.get(block)) return true;
  const isOverLimit = unknownUsage(request).remaining === 0;
  return exists(request.tokenHash, !isOverLimit);
};

/**
 * Authenticates a token and counts the request against its limit, in one conditional write. Requests with tokens that do
 * not exist are counted by the address that they come from, so that a wrong key gets 429 before 401: one write each, and
 * once the address is over its limit none, only an eventually consistent read. So a valid key that is new to this
 * function gets in from an address that others misuse too, and one that this function has seen is not affected at all.
 */
export const checkAccess = async (request: Request): Promise<AccessVerdict> => {
  const { sourceIp, limitPerMinute, now } = request;
  const block = clientBlock(sourceIp);
  if (await mayExist(request)) {
    const known = await checkToken(request);
    if (known) return known;
    suspects.set(block, true);
  }
  const { isAllowed, usage } = await countRequest(
    unknownTokensKey(block),
    { endpoint: anyEndpoint, limitPerMinute, now },
    { mustExist: false },
  );
  return { kind: isAllowed ? 'unknown' : 'limited', usage };
};

/**
 * The verdict on what cannot be a token: the table is not asked, but an address that is known to be over its limit gets
 * 429 first. `usage` is undefined where nothing was counted.
 */
export const checkMalformedToken = (
  request: Omit<Request, 'tokenHash' | 'endpoint'>,
): { kind: 'limited'; usage: Usage } | { kind: 'unknown' } => {
  const usage = unknownUsage(request);
  return usage.remaining === 0 ? { kind: 'limited', usage } : { kind: 'unknown' };
};
