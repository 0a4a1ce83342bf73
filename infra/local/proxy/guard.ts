import * as z from 'zod';
import { credentials } from '../account.ts';
import { createFaults } from '../faults/faults.ts';
import type { FaultSettings } from '../faults/settings.ts';
import { type Authorizer, createAuthorizer } from '../iam/authorize.ts';
import type { Tables } from '../iam/dynamodb-access.ts';
import { type Identity, newAccessKeyId } from '../iam/identities.ts';
import type { UsageRecorder, UsageReport } from '../iam/usage.ts';
import { createWithdrawals } from '../iam/withdrawals.ts';
import { routeIn } from '../lambda/traced-route.ts';
import { dynamodbQuotaError } from '../quotas/dynamodb-quotas.ts';
import type { Verdict } from '../relay/relay.ts';
import { errorResponse, jsonResponse, type WireError, type WireRequest } from '../relay/wire.ts';

export interface GuardSettings {
  readonly identities: readonly Identity[];
  readonly tables: Tables;
  readonly usage: UsageRecorder | undefined;
  /** How the database fails on purpose. */
  readonly faults: FaultSettings | undefined;
  /** Takes one line for each refusal. */
  readonly warn: (line: string) => void;
}

export interface Guard {
  decide(request: WireRequest): Verdict | Promise<Verdict>;
}

/**
 * Refuses what AWS would refuse. The operator may do everything, and has four requests more, for tests and benches:
 * `LocalStack.WithdrawPermissions` takes permissions from functions, `LocalStack.ReportPermissions` returns which were used
 * and which refused, `LocalStack.AssumeFunctionRole` returns an access key with the permissions of a function, whose
 * requests are neither logged nor reported, and `LocalStack.ReportFaults` the number of calls and conflicts while faults
 * are on.
 */
export function createGuard({ identities, tables, usage, faults: faultSettings, warn }: GuardSettings): Guard {
  const withdrawals = createWithdrawals();
  const authorizers = new Map<string, Authorizer>(
    identities.map((identity) => [identity.accessKeyId, createAuthorizer(identity, tables, usage, withdrawals)]),
  );
  const assumedRoles = new Map<string, Authorizer>();
  const assumeRole = (body: unknown): string => {
    const { functionName } = RoleRequest.parse(body);
    const identity = identities.find((one) => one.functionName === functionName);
    if (!identity) throw new Error(`There is no function ${functionName}`);
    const accessKeyId = newAccessKeyId();
    assumedRoles.set(accessKeyId, createAuthorizer(identity, tables));
    return accessKeyId;
  };
  const faults = faultSettings && createFaults(faultSettings, tables);
  const respondToOperator = (target: string, body: Buffer): Buffer | undefined => {
    if (target === 'LocalStack.ReportPermissions') {
      const report: UsageReport = { used: usage?.used() ?? [], refused: usage?.refused() ?? [] };
      return jsonResponse(report);
    }
    if (target === 'LocalStack.AssumeFunctionRole') return jsonResponse({ accessKeyId: assumeRole(parse(body)) });
    if (target === 'LocalStack.ReportFaults') return jsonResponse(faults?.counts() ?? { calls: 0, conflicts: 0 });
    if (target !== 'LocalStack.WithdrawPermissions') return undefined;
    withdrawals.replace(parse(body));
    return jsonResponse({});
  };
  return {
    decide: ({ head, target, accessKeyId, body }) => {
      if (accessKeyId === credentials.accessKeyId) {
        const response = respondToOperator(target, body);
        return response ? { response } : {};
      }
      const assumedRole = assumedRoles.get(accessKeyId ?? '');
      const authorizer = assumedRole ?? authorizers.get(accessKeyId ?? '');
      if (!authorizer) return { response: errorResponse(target, unknownCaller) };
      const parsed = parse(body);
      if (!parsed) return { response: errorResponse(target, notJson) };
      const refusal = authorizer.refusalOf(target, parsed, usage && routeIn(head));
      if (refusal && !assumedRole) warn(refusal.logLine);
      const error = refusal ?? quotaError(target, parsed, tables);
      if (error) return { response: errorResponse(target, error) };
      return faults && target.startsWith('DynamoDB') ? faults.decide(target, parsed) : {};
    },
  };
}

/** SQS keeps to its own quotas (queue-quotas.ts). */
function quotaError(target: string, body: object, tables: Tables): WireError | undefined {
  const [service = '', operation = ''] = target.split('.');
  return service.startsWith('DynamoDB') ? dynamodbQuotaError(operation, body, tables) : undefined;
}

const RoleRequest = z.strictObject({ functionName: z.string() });

const unknownCaller = {
  type: 'UnrecognizedClientException',
  message: 'The security token included in the request is invalid.',
};
const notJson = { type: 'SerializationException', message: 'The request is not a JSON object.' };

function parse(body: Buffer): object | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
