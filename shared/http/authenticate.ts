import { isDeepStrictEqual } from 'node:util';
import { ApiError, fieldError } from '../contract/errors.ts';
import { type Method, rateClassOf } from '../contract/operation.ts';
import { checkAccess, checkMalformedToken, rememberedToken } from '../domain/access/check-access.ts';
import { type AccessToken, hashOfToken, isTokenShaped } from '../domain/access/token.ts';
import { runAhead } from '../platform/clients/admission.ts';
import type { ApiEvent } from './api-request.ts';
import type { RequestProgram } from './handlers.ts';
import { methodOf } from './pipeline.ts';
import { rateLimitHeaders } from './respond.ts';

/** See docs/behavior.md#keys */
export const bearerTokenOf = (headers: Record<string, string | undefined>): string => {
  const header = headers.authorization;
  if (!header?.startsWith('Bearer ')) throw new ApiError('unauthorized');
  return header.slice('Bearer '.length);
};

export interface Grant {
  program: RequestProgram;
  keyId: string;
  keyKind: AccessToken['kind'];
}

const limitPerMinuteOf = (method: string): number => {
  const rateClass = rateClassOf({ method: method === 'GET' ? method : ('POST' satisfies Method) });
  return Number(process.env[rateClass === 'read' ? 'RATE_LIMIT_READS' : 'RATE_LIMIT_WRITES']);
};

const grantOf = ({ programId, keyId, kind, programDeleted, plan, ...terms }: AccessToken): Grant => {
  if (programDeleted) throw new ApiError('program_not_found');
  if (plan !== 'BUSINESS') throw new ApiError('plan_without_access');
  const { currency, commissionRate, timeZone, reviewsSales } = terms;
  return { program: { id: programId, currency, commissionRate, timeZone, reviewsSales }, keyId, keyKind: kind };
};

const accessRequestOf = ({ state, requestContext }: ApiEvent, token: string) => {
  const method = methodOf({ requestContext });
  return {
    tokenHash: hashOfToken(token),
    endpoint: `${method} ${state.route.countedPath}`,
    sourceIp: requestContext.http.sourceIp,
    limitPerMinute: limitPerMinuteOf(method),
    now: state.now,
  };
};

/** Throws the refusal. See docs/behavior.md#order-of-checks */
const admit = async (event: ApiEvent, token: string): Promise<Grant> => {
  const request = accessRequestOf(event, token);
  const verdict = isTokenShaped(token) ? await checkAccess(request) : checkMalformedToken(request);
  if ('usage' in verdict) event.state.headers = rateLimitHeaders(verdict.usage);
  if (verdict.kind === 'limited') {
    const headers = { 'retry-after': String(verdict.usage.retryAfterSeconds) };
    throw new ApiError('rate_limited', undefined, { headers });
  }
  if (verdict.kind === 'unknown') throw new ApiError('invalid_token');
  return grantOf(verdict.token);
};

/** What this function remembers of the key, unless that refuses the request. */
const expectedGrant = (event: ApiEvent, token: string): Grant | undefined => {
  const known = isTokenShaped(token) ? rememberedToken(accessRequestOf(event, token)) : undefined;
  try {
    return known && grantOf(known);
  } catch {
    return undefined;
  }
};

/**
 * Serves a request of a key, before its method is looked at. Where this function knows the key, the request runs ahead
 * with what it remembers, and again if that has changed. docs/decisions/speed.md
 */
export const withKey = async <Result>(event: ApiEvent, serve: (grant: Grant) => Promise<Result>): Promise<Result> => {
  const token = bearerTokenOf(event.headers);
  const expected = expectedGrant(event, token);
  const admission = admit(event, token);
  if (!expected) return serve(await admission);
  const confirmed = admission.then((grant) => {
    if (!isDeepStrictEqual(grant, expected)) throw new ApiError('conflict', 'The key changed');
  });
  const [admitted, ahead] = await Promise.allSettled([admission, runAhead(confirmed, () => serve(expected))]);
  if (admitted.status === 'rejected') throw admitted.reason;
  if (!isDeepStrictEqual(admitted.value, expected)) return serve(admitted.value);
  if (ahead.status === 'rejected') throw ahead.reason;
  return ahead.value;
};

/** See docs/behavior.md#connecting-a-platform */
export const authenticateCode = async (event: ApiEvent): Promise<void> => {
  const { body, state } = event;
  if (state.served?.declared.auth !== 'code') return;
  const code = body instanceof Object && 'code' in body ? body.code : undefined;
  if (code === undefined || code === '') throw new ApiError('code_required');
  if (typeof code !== 'string') throw fieldError('code', 'code must be a string');
  const grant = await admit(event, code).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'invalid_token' ? new ApiError('invalid_code') : error;
  });
  state.program = grant.program;
  if (grant.keyKind !== 'CONNECTOR') throw new ApiError('invalid_code');
};
