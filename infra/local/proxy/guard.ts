import { credentials } from '../account.ts';
import { createFaults } from '../faults/faults.ts';
import type { FaultSettings } from '../faults/settings.ts';
import { type Authorizer, createAuthorizer } from '../iam/authorize.ts';
import type { Tables } from '../iam/dynamodb-access.ts';
import type { Identity } from '../iam/identities.ts';
import type { UsageRecorder } from '../iam/usage.ts';
import { dynamodbQuotaError } from '../quotas/dynamodb-quotas.ts';
import { sqsQuotaError } from '../quotas/sqs-quotas.ts';
import type { Verdict } from './relay.ts';
import { errorResponse, type WireError, type WireRequest } from './wire.ts';

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

/** Refuses what AWS would refuse. The operator may do everything. */
export function createGuard({ identities, tables, usage, faults: faultSettings, warn }: GuardSettings): Guard {
  const authorizers = new Map<string, Authorizer>(
    identities.map((identity) => [identity.accessKeyId, createAuthorizer(identity, tables, usage)]),
  );
  const faults = faultSettings && createFaults(faultSettings, tables);
  return {
    decide: ({ target, accessKeyId, body }) => {
      if (accessKeyId === credentials.accessKeyId) return {};
      const authorizer = authorizers.get(accessKeyId ?? '');
      if (!authorizer) return { response: errorResponse(target, unknownCaller) };
      const parsed = parse(body);
      if (!parsed) return { response: errorResponse(target, notJson) };
      const refusal = authorizer.refusalOf(target, parsed);
      if (refusal) warn(refusal.logLine);
      const error = refusal ?? quotaError(target, parsed, tables);
      if (error) return { response: errorResponse(target, error) };
      return faults && target.startsWith('DynamoDB') ? faults.decide(target, parsed) : {};
    },
  };
}

function quotaError(target: string, body: object, tables: Tables): WireError | undefined {
  const [service = '', operation = ''] = target.split('.');
  if (service.startsWith('DynamoDB')) return dynamodbQuotaError(operation, body, tables);
  return service === 'AmazonSQS' ? sqsQuotaError(operation, body) : undefined;
}

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
