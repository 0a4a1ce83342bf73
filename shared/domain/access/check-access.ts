import { bounds } from '../../contract/bounds.ts';
import { getItem, type ItemKey } from '../../platform/table/items.ts';
import { type Counted, countRequest, lastSeenItem, lastSeenUsage, rememberItem } from './count-request.ts';
import type { Usage } from './rate-limit.ts';
import { RecentlySeen } from './recently-seen.ts';
import { clientBlock } from './source-address.ts';
import { AccessToken, isSharing, sharedLimitKey, tokenKey, unknownTokensKey } from './token.ts';

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

const sharedUsage = (key: ItemKey, request: Request, programId: string): Usage =>
  tighter(lastSeenUsage(key, request), lastSeenUsage(sharedLimitKey(programId), sharedRequest(request)));

/** The token as this function last saw it, unless its limit is known to be reached. It may have changed or gone since. */
export const rememberedToken = (request: Request): AccessToken | undefined => {
  const key = tokenKey(request.tokenHash);
  const token = AccessToken.safeParse(lastSeenItem(key)).data;
  const usage =
    token && isSharing(token, request.now) ? sharedUsage(key, request, token.programId) : lastSeenUsage(key, request);
  return usage.remaining > 0 ? token : undefined;
};

const checkToken = async (request: Request): Promise<AccessVerdict | undefined> => {
  const key = tokenKey(request.tokenHash);
  const seen = AccessToken.safeParse(lastSeenItem(key)).data;
  const sharedProgramId = seen && isSharing(seen, request.now) ? seen.programId : undefined;
  if (sharedProgramId) {
    const usage = sharedUsage(key, request, sharedProgramId);
    // Neither counter grows by a request that the other refuses.
    if (usage.remaining === 0) return { kind: 'limited', usage };
  }
  const [counted, countedBeside] = await Promise.all([
    countRequest(key, request, { mustExist: true }),
    sharedProgramId ? countShared(sharedProgramId, request) : undefined,
  ]);
  if (!counted.item) return undefined;
  const token = AccessToken.parse(counted.item);
  if (!isSharing(token, request.now) || !counted.isAllowed) return verdict(counted, token);
  const shared = countedBeside ?? (await countShared(token.programId, request));
  const usage = tighter(counted.usage, shared.usage);
  return verdict({ isAllowed: counted.isAllowed && shared.isAllowed, usage }, token);
};

const verdict = ({ isAllowed, usage }: Pick<Counted, 'isAllowed' | 'usage'>, token: AccessToken): AccessVerdict =>
  isAllowed ? { kind: 'known', token, usage } : { kind: 'limited', usage };

/** Resolves once this function knows how many unknown tokens the address has sent. */
const learnUnknown = async (block: string): Promise<void> => {
  const key = unknownTokensKey(block);
  if (!lastSeenItem(key)) rememberItem(key, await getItem('traffic', key, { isConsistent: false }));
};

const countUnknown = async ({ sourceIp, limitPerMinute, now }: Request): Promise<AccessVerdict> => {
  const { isAllowed, usage } = await countRequest(
    unknownTokensKey(clientBlock(sourceIp)),
    { endpoint: anyEndpoint, limitPerMinute, now },
    { mustExist: false },
  );
  return { kind: isAllowed ? 'unknown' : 'limited', usage };
};

/** A token that is new to this function is read before anything is written: an unknown one costs its one count at most. */
const checkNewToken = async (request: Request): Promise<AccessVerdict | undefined> => {
  const { tokenHash, sourceIp } = request;
  const block = clientBlock(sourceIp);
  if (suspects.get(block)) {
    const isOverLimit = unknownUsage(request).remaining === 0;
    // A key that is new to this function is counted here once, which refuses nothing.
    const [isThere, unknown] = await Promise.all([exists(tokenHash, !isOverLimit), countUnknown(request)]);
    return isThere ? undefined : unknown;
  }
  const [isThere] = await Promise.all([exists(tokenHash, true), learnUnknown(block)]);
  if (isThere) return undefined;
  suspects.set(block, true);
  return countUnknown(request);
};

/** One conditional write. Unknown tokens from an address do not affect a key that this function knows. */
export const checkAccess = async (request: Request): Promise<AccessVerdict> => {
  const refused = lastSeenItem(tokenKey(request.tokenHash)) ? undefined : await checkNewToken(request);
  if (refused) return refused;
  const known = await checkToken(request);
  if (known) return known;
  // A key that was deleted meanwhile: the write that found none was its one unit.
  const usage = unknownUsage(request);
  return { kind: usage.remaining > 0 ? 'unknown' : 'limited', usage };
};

/** No table call for what cannot be a token; 429 if its address is known to be over the limit. */
export const checkMalformedToken = (
  request: Omit<Request, 'tokenHash' | 'endpoint'>,
): { kind: 'limited'; usage: Usage } | { kind: 'unknown' } => {
  const usage = unknownUsage(request);
  return usage.remaining === 0 ? { kind: 'limited', usage } : { kind: 'unknown' };
};
