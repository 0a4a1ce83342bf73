import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import pRetry from 'p-retry';
import { documents } from './client.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One conditional write, with the error to throw when its condition does not hold. */
export type Write = TransactItem & { refusal: (item: Record<string, unknown> | undefined) => Error };

interface CancellationReason {
  Code?: string;
  Item?: Record<string, unknown>;
}

const passing = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'TransactionInProgressException',
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

const reasonsOf = (error: unknown): readonly CancellationReason[] =>
  error instanceof Error && 'CancellationReasons' in error && Array.isArray(error.CancellationReasons)
    ? error.CancellationReasons
    : [];

/** True for conflicts and throttling: the same write may succeed in a moment. */
const isPassing = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const reasons = reasonsOf(error).flatMap((reason) => (reason.Code && reason.Code !== 'None' ? [reason.Code] : []));
  if (reasons.length > 0) return reasons.every((code) => passing.has(code));
  return passing.has(error.name);
};

/** Runs a write again, with jittered waits, while it fails for a passing reason; any other error is thrown at once. */
export const retryPassing = <Result>(attempt: () => Promise<Result>): Promise<Result> =>
  pRetry(attempt, {
    retries: 12,
    minTimeout: 15,
    maxTimeout: 800,
    randomize: true,
    shouldRetry: ({ error }) => isPassing(error),
  });

/**
 * Writes all items or none. Throws the `refusal` of the first item whose condition does not hold; conflicts and
 * throttling are retried.
 */
export const writeTogether = async (writes: readonly Write[]): Promise<void> => {
  const TransactItems = writes.map(({ refusal: _refusal, ...item }) => item);
  try {
    await retryPassing(() => documents.send(new TransactWriteCommand({ TransactItems })));
  } catch (error) {
    const reasons = reasonsOf(error);
    const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
    const write = writes[failed];
    if (write) throw write.refusal(reasons[failed]?.Item);
    throw error;
  }
};
