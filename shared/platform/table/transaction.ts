import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { DeleteCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
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

/**
 * Makes one update without a transaction: updates of one item at the same moment wait for each other then, where
 * transactions would conflict. Throws its `refusal` when the condition does not hold.
 */
export const updateAlone = async ({ Update, refusal }: Write): Promise<void> => {
  if (!Update?.UpdateExpression) throw new Error('Only an update is made alone');
  const command = new UpdateCommand(Update);
  try {
    await retryTransient(() => documents.send(command));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? refusal(undefined) : error;
  }
};

/**
 * Makes deletions, and the puts of tombstones, one after the other without a transaction, at half the units and a third of
 * the time. A write whose condition does not hold was made by an earlier run that died; only the last one throws its
 * `refusal`. So the record itself comes last: as long as it is there, its deletion starts again.
 */
export const writeInTurn = async (writes: readonly Write[]): Promise<void> => {
  for (const [at, { refusal, Delete, Put }] of writes.entries()) {
    const command = Delete ? new DeleteCommand(Delete) : Put && new PutCommand(Put);
    if (!command) throw new Error('Only deletions and puts are made in turn');
    try {
      await retryTransient(() =>
        command instanceof DeleteCommand ? documents.send(command) : documents.send(command),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (at === writes.length - 1) throw refusal(undefined);
    }
  }
};
