import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { documents } from './client.ts';
import { cancellationReasonsOf, retryTransient } from './retry-transient.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One conditional write, with the error to throw when its condition does not hold. */
export type Write = TransactItem & { refusal: (item: Record<string, unknown> | undefined) => Error };

/**
 * Writes all items or none. Throws the `refusal` of the first item whose condition does not hold; conflicts and
 * throttling are retried.
 */
export const writeTogether = async (writes: readonly Write[]): Promise<void> => {
  const TransactItems = writes.map(({ refusal: _refusal, ...item }) => item);
  try {
    await retryTransient(() => documents.send(new TransactWriteCommand({ TransactItems })));
  } catch (error) {
    const reasons = cancellationReasonsOf(error);
    const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
    const write = writes[failed];
    if (write) throw write.refusal(reasons[failed]?.Item);
    throw error;
  }
};
