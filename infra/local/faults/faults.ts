import { setTimeout as sleep } from 'node:timers/promises';
import type { Tables } from '../iam/dynamodb-access.ts';
import type { DynamoDBRequest } from '../iam/dynamodb-request.ts';
import type { Verdict } from '../relay/relay.ts';
import { errorResponse, jsonResponse, type WireError } from '../relay/wire.ts';
import { canConflict, createItemsInFlight, isTransaction, itemsOf } from './items-in-flight.ts';
import type { FaultSettings } from './settings.ts';

/** How many calls functions made to the database since the start, and how many of them were refused for a conflict. */
export interface FaultCounts {
  calls: number;
  conflicts: number;
}

/** Decides which calls to the database fail. */
export interface Faults {
  decide(target: string, body: DynamoDBRequest): Promise<Verdict>;
  counts(): Readonly<FaultCounts>;
}

export function createFaults(settings: FaultSettings, tables: Tables): Faults {
  const inFlight = createItemsInFlight();
  const counts: FaultCounts = { calls: 0, conflicts: 0 };
  const happens = (share: number | undefined): boolean => Math.random() < (share ?? 0);

  /** The conflict of a request, by chance or with what is in flight. */
  const conflictOf = (operation: string, items: readonly string[]): WireError | undefined => {
    if (!canConflict(operation)) return undefined;
    const chosen = happens(settings.conflictShare) ? Math.floor(Math.random() * items.length) : undefined;
    const held = settings.conflictsInFlight ? inFlight.conflictsOf(operation, items) : [];
    const conflicts = items.map((_, index) => index === chosen || held[index] === true);
    return conflicts.includes(true) ? conflictError(operation, conflicts) : undefined;
  };

  return {
    counts: () => counts,
    decide: async (target, body) => {
      counts.calls += 1;
      const operation = target.split('.').at(-1) ?? '';
      if (happens(settings.throttlingShare)) return { response: errorResponse(target, throttled()) };
      if (operation === 'BatchGetItem' && happens(settings.unprocessedShare))
        return { response: jsonResponse({ Responses: {}, UnprocessedKeys: body.RequestItems }) };
      const items = canConflict(operation) ? itemsOf(operation, body, tables) : [];
      const conflict = conflictOf(operation, items);
      if (conflict) {
        counts.conflicts += 1;
        return { response: errorResponse(target, conflict) };
      }
      const done = settings.conflictsInFlight ? inFlight.hold(operation, items) : undefined;
      if (settings.latencyMilliseconds) await sleep(settings.latencyMilliseconds);
      return done ? { done } : {};
    },
  };
}

/** DynamoDB has two of them, and code must know both. */
const throttled = (): WireError =>
  Math.random() < 0.5
    ? {
        type: 'ProvisionedThroughputExceededException',
        message: 'The level of configured provisioned throughput for the table was exceeded.',
      }
    : { type: 'ThrottlingException', message: 'Rate of requests exceeds the allowed throughput.' };

const ongoing = 'Transaction is ongoing for the item';

function conflictError(operation: string, conflicts: readonly boolean[]): WireError {
  if (!isTransaction(operation)) return { type: 'TransactionConflictException', message: ongoing };
  const codes = conflicts.map((isConflict) => (isConflict ? 'TransactionConflict' : 'None'));
  return {
    type: 'TransactionCanceledException',
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
    fields: {
      CancellationReasons: codes.map((Code) => (Code === 'None' ? { Code } : { Code, Message: ongoing })),
    },
  };
}
