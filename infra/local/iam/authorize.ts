import { accountId, region } from '../account.ts';
import { dynamodbAccesses, leadingKeysOf, type Tables } from './dynamodb-access.ts';
import type { DynamoDBRequest } from './dynamodb-request.ts';
import { type AccessRequest, type Decision, evaluate, isAbout } from './evaluate.ts';
import type { Identity } from './identities.ts';
import type { Statement } from './policy.ts';
import type { UsageRecorder } from './usage.ts';
import type { Withdrawals } from './withdrawals.ts';

interface Refusal {
  readonly type: 'AccessDeniedException';
  /** In the words of AWS. */
  readonly message: string;
  /** For the log of the stack. */
  readonly logLine: string;
}

/** Decides about the requests of one function. */
export interface Authorizer {
  /**
   * Undefined where all that the request needs is allowed.
   * @param route the method and path that the function is working for
   */
  refusalOf(target: string, body: object, route?: string): Refusal | undefined;
}

/** Makes the authorizer of a function's identity. `usage` gets to know all that it allows and refuses. */
export function createAuthorizer(
  identity: Identity,
  tables: Tables,
  usage?: UsageRecorder,
  withdrawals?: Withdrawals,
): Authorizer {
  const candidates = new Map<string, readonly Statement[]>();
  const candidatesFor = (request: AccessRequest): readonly Statement[] => {
    const key = `${request.action} ${request.resource}`;
    let found = candidates.get(key);
    if (!found) {
      found = identity.statements.filter((statement) => isAbout(statement, request));
      candidates.set(key, found);
    }
    return found;
  };
  return {
    refusalOf: (target, body, route) => {
      for (const request of accessesOf(target, body, tables)) {
        const decision = evaluate(candidatesFor(request), request);
        const withdrawal = withdrawals?.refusing(identity.functionName, request, route);
        if (withdrawal !== undefined || decision.outcome !== 'ALLOWED') {
          usage?.recordRefusal(identity, request, withdrawal);
          return refuse(identity, request, withdrawal === undefined ? decision : { outcome: 'IMPLICIT_DENY' });
        }
        usage?.record(identity, request, decision.statement, route);
      }
      return undefined;
    },
  };
}

interface OtherRequest {
  readonly QueueUrl?: string;
  readonly QueueName?: string;
  readonly SecretId?: string;
  readonly Bucket?: string;
  readonly Key?: string;
  readonly FromEmailAddress?: string;
  readonly ConfigurationSetName?: string;
  readonly Destination?: { readonly [kind: string]: readonly string[] };
}

/** By the identity of the sender's domain, and with the configuration set that is named. */
function emailAccesses(operation: string, body: OtherRequest): AccessRequest[] {
  const { FromEmailAddress: mailbox = '', ConfigurationSetName: set, Destination = {} } = body;
  const from = /<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox;
  const context = { 'ses:FromAddress': from, 'ses:Recipients': Object.values(Destination).flat() };
  const arn = (kind: string, name: string) => `arn:aws:ses:${region}:${accountId}:${kind}/${name}`;
  return [
    arn('identity', from.slice(from.lastIndexOf('@') + 1)),
    ...(set === undefined ? [] : [arn('configuration-set', set)]),
  ].map((resource) => ({ action: `ses:${operation}`, resource, context }));
}

/** @param target the header `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`; `s3.GetObject` for the store without such headers */
function accessesOf(target: string, body: DynamoDBRequest & OtherRequest, tables: Tables): AccessRequest[] {
  const [service = '', operation = ''] = target.split('.');
  if (service.startsWith('DynamoDB')) return dynamodbAccesses(operation, body, tables);
  if (service === 'AmazonSQS') {
    const name = body.QueueUrl?.split('/').at(-1) ?? body.QueueName ?? '*';
    // A batch has no permission of its own.
    const action = `sqs:${operation.replace(/Batch$/, '')}`;
    return [{ action, resource: `arn:aws:sqs:${region}:${accountId}:${name}`, context: {} }];
  }
  if (service === 's3')
    return [{ action: `s3:${operation}`, resource: `arn:aws:s3:::${body.Bucket}/${body.Key}`, context: {} }];
  if (service === 'ses') return emailAccesses(operation, body);
  return [{ action: `${service}:${operation}`, resource: body.SecretId ?? '*', context: {} }];
}

function refuse(identity: Identity, request: AccessRequest, { outcome }: Pick<Decision, 'outcome'>): Refusal {
  const { functionName, roleName } = identity;
  // SQS writes the names of its actions in small letters.
  const action = request.action.startsWith('sqs:') ? request.action.toLowerCase() : request.action;
  const reason =
    outcome === 'EXPLICIT_DENY'
      ? 'with an explicit deny in an identity-based policy'
      : `because no identity-based policy allows the ${action} action`;
  const user = `arn:aws:sts::${accountId}:assumed-role/${roleName}/${functionName}`;
  const keys = leadingKeysOf(request);
  const keyNote = keys.length > 0 ? ` with the key ${keys.join(', ')}` : '';
  const why = outcome === 'EXPLICIT_DENY' ? 'a statement of its role denies it' : 'no statement of its role allows it';
  return {
    type: 'AccessDeniedException',
    message: `User: ${user} is not authorized to perform: ${action} on resource: ${request.resource} ${reason}`,
    logLine: `Access denied: ${functionName} called ${request.action} on ${request.resource}${keyNote}, but ${why}.`,
  };
}
