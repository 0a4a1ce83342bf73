import { ApiError, fieldError } from '../contract/errors.ts';
import { type Method, rateClassOf } from '../contract/operation.ts';
import { type AccessVerdict, checkAccess, checkMalformedToken } from '../domain/access/check-access.ts';
import type { Usage } from '../domain/access/rate-limit.ts';
import { type AccessToken, hashOfToken, isTokenShaped } from '../domain/access/token.ts';
import type { ApiEvent } from './api-request.ts';
import { methodOf } from './pipeline.ts';
import { rateLimitHeaders } from './respond.ts';

/** See docs/behavior.md#keys */
export const bearerTokenOf = (headers: Record<string, string | undefined>): string => {
  const header = headers.authorization;
  if (!header?.startsWith('Bearer ')) throw new ApiError('unauthorized');
  return header.slice('Bearer '.length);
};

type Access = { usage?: Usage } & (
  | {
      kind: 'granted';
      program: { id: string; currency: string; commissionRate: number };
      keyId: string;
      keyKind: AccessToken['kind'];
    }
  | { kind: 'refused'; error: ApiError }
);

const limitPerMinuteOf = (method: string): number => {
  const rateClass = rateClassOf({ method: method === 'GET' ? method : ('POST' satisfies Method) });
  return Number(process.env[rateClass === 'read' ? 'RATE_LIMIT_READS' : 'RATE_LIMIT_WRITES']);
};

/** See docs/behavior.md#order-of-checks */
const authenticate = async (request: {
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

const admit = async (event: ApiEvent, token: string): Promise<AccessToken['kind']> => {
  const { state } = event;
  const { sourceIp } = event.requestContext.http;
  const request = { token, sourceIp, method: methodOf(event), path: state.route.countedPath, now: state.now };
  const access = await authenticate(request);
  if (access.usage) state.headers = rateLimitHeaders(access.usage);
  if (access.kind === 'refused') throw access.error;
  state.program = access.program;
  state.keyId = access.keyId;
  return access.keyKind;
};

/** Before the method is looked at: see docs/behavior.md#order-of-checks */
export const authenticateKey = async (event: ApiEvent): Promise<void> => {
  if (event.state.route.operations.some(({ declared }) => declared.auth === 'key'))
    await admit(event, bearerTokenOf(event.headers));
};

/** See docs/behavior.md#connecting-a-platform */
export const authenticateCode = async (event: ApiEvent): Promise<void> => {
  const { body, state } = event;
  if (state.served?.declared.auth !== 'code') return;
  const code = body instanceof Object && 'code' in body ? body.code : undefined;
  if (code === undefined || code === '') throw new ApiError('code_required');
  if (typeof code !== 'string') throw fieldError('code', 'code must be a string');
  const kind = await admit(event, code).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'invalid_token' ? new ApiError('invalid_code') : error;
  });
  if (kind !== 'CONNECTOR') throw new ApiError('invalid_code');
};
