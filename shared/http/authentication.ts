import { ApiError } from '../contract/errors.ts';
import { type Method, rateClassOf } from '../contract/operation.ts';
import { type AccessVerdict, checkAccess, checkMalformedToken } from '../domain/access/check-access.ts';
import type { Usage } from '../domain/access/rate-limit.ts';
import { type AccessToken, hashOfToken, isTokenShaped } from '../domain/access/token.ts';

/** See docs/behavior.md#keys */
export const bearerTokenOf = (headers: Record<string, string | undefined>): string => {
  const header = headers.authorization;
  if (!header?.startsWith('Bearer ')) throw new ApiError('unauthorized');
  return header.slice('Bearer '.length);
};

export type Access = { usage?: Usage } & (
  | {
      kind: 'granted';
      program: { id: string; currency: string; commissionRate: number };
      keyId: string;
      keyKind: AccessToken['kind'];
    }
  | { kind: 'refused'; error: ApiError }
);

const limitPerMinuteOf = (method: string): number => {
  const known: readonly string[] = ['GET', 'HEAD'];
  const rateClass = rateClassOf({ method: known.includes(method) ? 'GET' : ('POST' satisfies Method) });
  return Number(process.env[rateClass === 'read' ? 'RATE_LIMIT_READS' : 'RATE_LIMIT_WRITES']);
};

/** See docs/behavior.md#order-of-checks */
export const authenticate = async (request: {
  token: string;
  sourceIp: string;
  method: string;
  path: string;
  now: Date;
}): Promise<Access> => {
  const { token, sourceIp, method, now } = request;
  const counting = { sourceIp, limitPerMinute: limitPerMinuteOf(method), now };
  const verdict: AccessVerdict | ReturnType<typeof checkMalformedToken> = isTokenShaped(token)
    ? await checkAccess({ ...counting, tokenHash: hashOfToken(token), endpoint: `${method} ${request.path}` })
    : checkMalformedToken(counting);
  const usage = 'usage' in verdict ? verdict.usage : undefined;
  const refused = (error: ApiError): Access => ({ kind: 'refused', ...(usage && { usage }), error });
  if (verdict.kind === 'limited') {
    const headers = { 'retry-after': String(verdict.usage.retryAfterSeconds) };
    return refused(new ApiError('rate_limited', undefined, { headers }));
  }
  if (verdict.kind === 'unknown') return refused(new ApiError('invalid_token'));
  const { programId, keyId, kind, programDeleted, plan, currency, commissionRate } = verdict.token;
  if (programDeleted) return refused(new ApiError('program_not_found'));
  if (plan !== 'BUSINESS') return refused(new ApiError('plan_without_access'));
  const program = { id: programId, currency, commissionRate };
  return { kind: 'granted', usage: verdict.usage, program, keyId, keyKind: kind };
};
