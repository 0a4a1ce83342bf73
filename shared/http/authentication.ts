import { checkAccess } from '../access/check-access.ts';
import type { Usage } from '../access/rate-limit.ts';
import type { AccessToken } from '../access/token.ts';
import { ApiError } from '../contract/errors.ts';
import { type Method, rateClassOf } from '../contract/operation.ts';

/** The token of an Authorization header; 401 when there is none or it is no bearer header. Specification, "API key". */
export const bearerTokenOf = (headers: Record<string, string | undefined>): string => {
  const header = headers.authorization;
  if (!header?.startsWith('Bearer ')) throw new ApiError('unauthorized');
  return header.slice('Bearer '.length);
};

export type Access = { usage: Usage } & (
  | {
      kind: 'granted';
      program: { id: string; currency: string; commissionRate: number };
      keyId: string;
      keyKind: AccessToken['kind'];
    }
  | { kind: 'refused'; error: ApiError }
);

/** Requests a minute that a token may make to one endpoint with one method, set at deploy. */
const limitPerMinuteOf = (method: string): number => {
  const known: readonly string[] = ['GET', 'HEAD'];
  const rateClass = rateClassOf({ method: known.includes(method) ? 'GET' : ('POST' satisfies Method) });
  return Number(process.env[rateClass === 'read' ? 'RATE_LIMIT_READS' : 'RATE_LIMIT_WRITES']);
};

/** Who is asking, or the error to answer. Order and messages: specification, "Authentication and common errors". */
export const authenticate = async (request: {
  tokenHash: string;
  method: string;
  /** As the route has it, so that what varies in it is one endpoint. */
  path: string;
  now: Date;
}): Promise<Access> => {
  const verdict = await checkAccess({
    tokenHash: request.tokenHash,
    endpoint: `${request.method} ${request.path}`,
    limitPerMinute: limitPerMinuteOf(request.method),
    now: request.now,
  });
  const { usage } = verdict;
  const refused = (error: ApiError): Access => ({ kind: 'refused', usage, error });
  if (verdict.kind === 'limited')
    return refused(
      new ApiError('rate_limited', undefined, { headers: { 'retry-after': String(usage.retryAfterSeconds) } }),
    );
  if (verdict.kind === 'unknown') return refused(new ApiError('invalid_token'));
  const { programId, keyId, kind, programDeleted, plan, currency, commissionRate } = verdict.token;
  if (programDeleted) return refused(new ApiError('program_not_found'));
  if (plan !== 'BUSINESS') return refused(new ApiError('plan_without_access'));
  return { kind: 'granted', usage, program: { id: programId, currency, commissionRate }, keyId, keyKind: kind };
};
