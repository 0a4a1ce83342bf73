import { bounds } from '../../contract/bounds.ts';
import { getItem } from '../../platform/table/items.ts';
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
  endpoint: string;
  limitPerMinute: number;
  now: Date;
}

const anyEndpoint = 'unknown token';

/** Address blocks of recent unknown tokens: a token new to this function is read before it is counted. */
const suspects = new RecentlySeen<true>(10_000);

const unknownUsage = ({ sourceIp, limitPerMinute, now }: Omit<Request, 'tokenHash' | 'endpoint'>): Usage =>
  lastSeenUsage(unknownTokensKey(clientBlock(sourceIp)), { endpoint: anyEndpoint, limitPerMinute, now });

const exists = async (tokenHash: string, isConsistent: boolean): Promise<boolean> =>
  (await getItem('traffic', tokenKey(tokenHash), { isConsistent, attributes: 'pk' })) !== undefined;

const sharedRequest = (request: Request): Request => ({
  ...request,
  limitPerMinute: bounds.keysWithWholeRateLimit * request.limitPerMinute,
});

const countShared = (programId: string, request: Request): Promise<Counted> =>
  countRequest(sharedLimitKey(programId), sharedRequest(request), { mustExist: false });

const tighter = (key: Usage, program: Usage): Usage => ({
  limitPerMinute: key.limitPerMinute,
  remaining: Math.min(key.remaining, program.remaining),
  resetSeconds: (program.remaining < key.remaining ? program : key).resetSeconds,
  retryAfterSeconds: Math.max(key.retryAfterSeconds, program.retryAfterSeconds),
});

const checkToken = async (request: Request): Promise<AccessVerdict | undefined> => {
  const key = tokenKey(request.tokenHash);
  const seen = AccessToken.safeParse(lastSeenItem(key)).data;
  if (seen?.sharesLimit) {
    const program = lastSeenUsage(sharedLimitKey(seen.programId), sharedRequest(request));
    const usage = tighter(lastSeenUsage(key, request), program);
    // Neither counter grows by a request that the other refuses.
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

/** Counting costs a write unit even if the token does not exist. */
const mayExist = async (request: Request): Promise<boolean> => {
  const block = clientBlock(request.sourceIp);
  if (lastSeenItem(tokenKey(request.tokenHash)) || !suspects.get(block)) return true;
  const isOverLimit = unknownUsage(request).remaining === 0;
  return exists(request.tokenHash, !isOverLimit);
};

/** One conditional write. Unknown tokens from an address do not affect a key that this function knows. */
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

/** No table call for what cannot be a token; 429 if its address is known to be over the limit. */
export const checkMalformedToken = (
  request: Omit<Request, 'tokenHash' | 'endpoint'>,
): { kind: 'limited'; usage: Usage } | { kind: 'unknown' } => {
  const usage = unknownUsage(request);
  return usage.remaining === 0 ? { kind: 'limited', usage } : { kind: 'unknown' };
};
