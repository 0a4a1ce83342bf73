import { credentials } from '../account.ts';
import { createFaults } from '../faults/faults.ts';
import type { FaultSettings } from '../faults/settings.ts';
import type { Tables } from '../iam/dynamodb-access.ts';
import { evaluate } from '../iam/evaluate.ts';
import type { Identity } from '../iam/identities.ts';
import type { UsageRecorder, UsageReport } from '../iam/usage.ts';
import { createWithdrawals } from '../iam/withdrawals.ts';
import { routeIn, routeOfTrace } from '../lambda/traced-route.ts';
import type { ObjectCaller } from '../objects/object-server.ts';
import { dynamodbQuotaError } from '../quotas/dynamodb-quotas.ts';
import type { Verdict } from '../relay/relay.ts';
import { errorResponse, jsonResponse, type WireError, type WireRequest } from '../relay/wire.ts';
import { type Caller, openCallers } from './callers.ts';
import { createTurns, type Turns } from './turns.ts';

export interface GuardSettings {
  readonly identities: readonly Identity[];
  readonly tables: Tables;
  readonly usage: UsageRecorder | undefined;
  /** The functions whose calls of the database let those of others go first. */
  readonly background: readonly string[];
  /** How the database fails on purpose. */
  readonly faults: FaultSettings | undefined;
  /** Takes one line for each refusal. */
  readonly warn: (line: string) => void;
}

export interface Guard {
  decide(request: WireRequest): Verdict | Promise<Verdict>;
  /** Someone waits for a response: background functions make room before the first call of the database. */
  expectRequest(): void;
  /** Who has an access key, to the object store. */
  callerOf(accessKeyId: string): ObjectCaller | undefined;
}

/**
 * Refuses what AWS would refuse. The operator may do everything, and has four requests more, for tests and benches:
 * `LocalStack.WithdrawPermissions` takes permissions from functions, `LocalStack.ReportPermissions` returns which were used
 * and which refused, `LocalStack.AssumeFunctionRole` returns an access key with the permissions of a function, whose
 * requests are neither logged nor reported, and `LocalStack.ReportFaults` the number of calls and conflicts while faults
 * are on.
 */
export function createGuard(settings: GuardSettings): Guard {
  const { identities, tables, usage, background, faults: faultSettings, warn } = settings;
  const turns = background.length > 0 ? createTurns(turnSettings) : undefined;
  const withdrawals = createWithdrawals();
  const callers = openCallers({ identities, tables, usage, withdrawals, warn });
  const faults = faultSettings && createFaults(faultSettings, tables);
  const respondToOperator = (target: string, body: Buffer): Buffer | undefined => {
    if (target === 'LocalStack.ReportPermissions') {
      const report: UsageReport = { used: usage?.used() ?? [], refused: usage?.refused() ?? [] };
      return jsonResponse(report);
    }
    if (target === 'LocalStack.AssumeFunctionRole')
      return jsonResponse({ accessKeyId: callers.assumeRole(parse(body)) });
    if (target === 'LocalStack.ReportFaults') return jsonResponse(faults?.counts() ?? { calls: 0, conflicts: 0 });
    if (target !== 'LocalStack.WithdrawPermissions') return undefined;
    withdrawals.replace(parse(body));
    return jsonResponse({});
  };
  return {
    decide: ({ head, target, accessKeyId, body }) => {
      if (accessKeyId === credentials.accessKeyId) {
        const response = respondToOperator(target, body);
        if (response) return { response };
        return turns && target === streamRead ? inTurn({}, turns, streamRead) : {};
      }
      const caller = callers.find(accessKeyId ?? '');
      if (!caller) return { response: errorResponse(target, unknownCaller) };
      const parsed = parse(body);
      if (!parsed) return { response: errorResponse(target, notJson) };
      const error = caller.refusalOf(target, parsed, usage && routeIn(head)) ?? quotaError(target, parsed, tables);
      if (error) return { response: errorResponse(target, error) };
      if (!target.startsWith('DynamoDB')) return {};
      const verdict = faults?.decide(target, parsed) ?? {};
      const { functionName } = caller.identity;
      return turns ? inTurn(verdict, turns, background.includes(functionName) ? functionName : undefined) : verdict;
    },
    expectRequest: () => turns?.pause(),
    callerOf: (accessKeyId) => {
      if (accessKeyId === credentials.accessKeyId) return operator;
      const caller = callers.find(accessKeyId);
      return caller && objectCaller(caller);
    },
  };
}

/**
 * The embedded database makes one call after the other: a request waits for at most one of a worker, and no worker comes between
 * the calls of a request, which follow each other within milliseconds.
 */
const turnSettings = { count: 1, pauseMilliseconds: 12, patienceMilliseconds: 100 };

/** Of the pollers, for functions that work in the background. */
const streamRead = 'DynamoDBStreams_20120810.GetRecords';

/** `worker` is who calls in the background. */
const inTurn = async (
  deciding: Verdict | Promise<Verdict>,
  turns: Turns,
  worker: string | undefined,
): Promise<Verdict> => {
  const verdict = await deciding;
  if (verdict.response) return verdict;
  const end = worker === undefined ? turns.goFirst() : await turns.begin(worker);
  const done = () => {
    end();
    verdict.done?.();
  };
  return { done };
};

const operator: ObjectCaller = {
  secretAccessKey: credentials.secretAccessKey,
  isOperator: true,
  refusalOf: () => undefined,
  mayList: () => true,
};

const objectCaller = ({ identity: { secretAccessKey, statements }, refusalOf }: Caller): ObjectCaller => ({
  secretAccessKey,
  isOperator: false,
  refusalOf: (operation, Bucket, Key, trace) =>
    refusalOf(`s3.${operation}`, { Bucket, Key }, routeOfTrace(trace))?.message,
  mayList: (bucket) => {
    const request = { action: 's3:ListBucket', resource: `arn:aws:s3:::${bucket}`, context: {} };
    return evaluate(statements, request).outcome === 'ALLOWED';
  },
});

/** SQS keeps to its own quotas (queue-quotas.ts). */
function quotaError(target: string, body: object, tables: Tables): WireError | undefined {
  const [service = '', operation = ''] = target.split('.');
  return service.startsWith('DynamoDB') ? dynamodbQuotaError(operation, body, tables) : undefined;
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
